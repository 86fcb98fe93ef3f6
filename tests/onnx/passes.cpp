#include "models.hpp"
#include <inlay/core/passes.hpp>
#include <cmath>

using namespace inlay;
using namespace inlay::testing;

namespace {
model_options only(std::vector<std::string> names) {  // these passes and no others
    model_options o;
    for (const pass& p : all_passes())
        if (std::find(names.begin(), names.end(), p.name) == names.end()) o.without.push_back(std::string(p.name));
    return o;
}
int rewrites(const model& m, std::string_view pass) {
    for (const pass_count& p : m.pass_log())
        if (p.name == pass) return p.rewrites;
    return -1;
}
model after(const onnx::ModelProto& p, std::vector<std::string> names) { return loaded(p, only(std::move(names))); }
std::string fused(const graph_view& g) {  // "FusedConv(0 1)=Relu"
    std::string all;
    for (const node& n : g.fused) {
        all += (all.empty() ? "" : " ") + std::string(n.op) + "(";
        for (int s : g.list(n.sources)) all += (all.back() == '(' ? "" : " ") + std::to_string(s);
        all += ")=" + std::string(node_view{g, n}.text("activation", "?"));
    }
    return all;
}
onnx::ModelProto conv_then(const std::string& rest, const std::string& inputs = "",
                           const std::string& outputs = "float[?,?,?,?] y") {
    auto p = graph_of("(float[N,2,5,5] x" + inputs + ") => (" + outputs +
                      ") { a = Conv<kernel_shape = [3, 3]>(x, w, b) " + rest + " }");
    std::vector<float> w(3 * 2 * 9);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = float(i) - 20;
    *p.mutable_graph()->add_initializer() = weights("w", {3, 2, 3, 3}, w);
    *p.mutable_graph()->add_initializer() = weights("b", {3}, {1, 2, 3});
    return p;
}
void constant(onnx::ModelProto& p, const std::string& name, std::initializer_list<std::int64_t> dims,
              const std::vector<float>& values) {
    *p.mutable_graph()->add_initializer() = weights(name, dims, values);
}
const tensor& constant_input(const model& m, int node, int k) {
    const graph_view& g = m.view();
    const node_view n{g, g.nodes[std::size_t(node)]};
    REQUIRE(n.is_constant(k));
    return m.graph().constants.at(std::size_t(n.input(k).constant));
}
}  // namespace

TEST_CASE("Passes are listed, counted and switched off by name", "[passes]") {
    const auto p = graph_of("(float[2] x) => (float[2] y) { a = Identity(x) y = Relu(a) }");
    const model m = loaded(p, {});
    CHECK(rewrites(m, "eliminate_identity") == 1);
    CHECK(m.pass_log().size() == all_passes().size());
    model_options o;
    o.without = {"eliminate_identity"};
    CHECK(rewrites(loaded(p, o), "eliminate_identity") == -1);
    CHECK(ops(loaded(p, o).view()) == "Identity Relu");
    o.without = {"eliminate_identitty"};
    CHECK(refused(p, o).code == error_code::unknown_option);
}

TEST_CASE("Nodes that pass their input through disappear", "[passes]") {
    const auto left = [](const std::string& graph) {
        return ops(after(graph_of(graph), {"eliminate_identity", "eliminate_dead"}).view());
    };
    CHECK(left("(float[2] x) => (float[2] y) { a = Identity(x) b = Identity(a) y = Relu(b) }") == "Relu");
    CHECK(left("(float[2] x) => (float[2] y) { a = Relu(x) b = Identity(a) y = Identity(b) }") == "Relu");
    CHECK(left("(float[2] x) => (float[2] y) { y = Identity(x) }") == "Identity");
    CHECK(left("(float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Identity(y) }") == "Relu Identity");
    CHECK(left("(float[2] x) => (float[2] y, float[2] z) { a = Relu(x) y = Identity(a) z = Identity(a) }") ==
          "Relu Identity");
    CHECK(left("(float[2] x) => (float[2] y) { a = Cast<to = 1>(x) y = Relu(a) }") == "Relu");
    CHECK(left("(float[2] x) => (double[2] y) { y = Cast<to = 11>(x) }") == "Cast");
    CHECK(left("(float[2] x) => (float[2] y) { a = Dropout(x) y = Relu(a) }") == "Relu");
    CHECK(left("(float[2] x) => (float[2] y, bool[2] mask) { a, mask = Dropout(x) y = Relu(a) }") == "Dropout Relu");
    CHECK(left("(float[2] x, bool t) => (float[2] y) { r = Constant<value_float = 0.5>() a = Dropout(x, r, t) y = "
               "Relu(a) }") == "Dropout Relu");
    CHECK(left("(float[2] x) => (float[2] y) { r = Constant<value_float = 0.5>() t = Constant<value = bool {1}>() a = "
               "Dropout(x, r, t) y = Relu(a) }") == "Dropout Relu");
    CHECK(left("(float[2] x) => (float[2] y) { r = Constant<value_float = 0.5>() t = Constant<value = bool {0}>() a = "
               "Dropout(x, r, t) y = Relu(a) }") == "Relu");
    CHECK(left("(float[N,2] x) => (float[N,2] y) { a = Transpose<perm = [0, 1]>(x) y = Relu(a) }") == "Relu");
    CHECK(left("(float[N,2] x) => (float[2,N] y) { a = Transpose(x) y = Relu(a) }") == "Transpose Relu");
    CHECK(left("(float[N,2] x) => (float[N,2] y) { a = Concat<axis = 1>(x) y = Relu(a) }") == "Relu");
    CHECK(left("(float[4,2] x) => (float[4,2] y) { s = Constant<value_ints = [4, -1]>() a = Reshape(x, s) y = Relu(a) "
               "}") == "Relu");
    CHECK(left("(float[4,2] x) => (float[2,4] y) { s = Constant<value_ints = [2, -1]>() a = Reshape(x, s) y = Relu(a) "
               "}") == "Reshape Relu");
    CHECK(left("(float[?,2] x) => (float[?,2] y) { a = Flatten(x) y = Relu(a) }") == "Relu");
}

TEST_CASE("Outputs keep their names and captures their values when nodes disappear", "[passes]") {
    const model m = after(
        graph_of("(float[2] x, bool c) => (float[2] out, float[2] y) { a = Relu(x) b = Identity(a) out = Identity(b) "
                 "y = If(c) <then_branch = t () => (float[2] r) { r = Neg(b) }, else_branch = e () => (float[2] q) { q "
                 "= Abs(b) }> }"),
        {"eliminate_identity", "eliminate_dead"});
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu If");
    CHECK(g.values[std::size_t(g.outputs[0])].name == "out");
    CHECK(node_view{g, g.nodes[0]}.output_id(0) == g.outputs[0]);
    CHECK(g.list(g.nodes[1].captures)[0] == g.outputs[0]);
}

TEST_CASE("What nothing uses disappears, records included", "[passes]") {
    auto p = graph_of(
        "(float[2] x, float[2] unused) => (float[2] y) { a = Relu(x) b = Neg(a) c = Add(b, v) y = Add(a, w) }");
    constant(p, "v", {2}, {1, 2});
    constant(p, "w", {2}, {3, 4});
    const model m = after(p, {"eliminate_dead"});
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu Add");
    CHECK(m.inputs().size() == 2);
    CHECK(g.inputs.size() == 2);
    CHECK(m.graph().constants.size() == 1);
    CHECK(find_value(g, "v") == -1);
    CHECK(g.values.size() == 5);
    CHECK(m.graph().edges.size() == 5);
    CHECK(constant_input(m, 1, 1).as<float>()[1] == 4);
    CHECK(rewrites(m, "eliminate_dead") == 3);
}

TEST_CASE("Outputs that may be absent are, where nothing uses them", "[passes]") {
    const model m = after(graph_of("(float[5,2,3] x, float[1,16,3] w, float[1,16,4] r) => (float[1,2,4] h) { a, h, c = "
                                   "LSTM<hidden_size = 4>(x, w, r) }"),
                          {"eliminate_dead"});
    const node_view n{m.view(), m.view().nodes[0]};
    CHECK(!n.has_output(0));
    CHECK(n.has_output(1));
    CHECK(n.output_count() == 2);
    const model split =
        after(graph_of("(float[4] x) => (float[2] y) { y, z = Split<axis = 0>(x) }"), {"eliminate_dead"});
    CHECK(node_view{split.view(), split.view().nodes[0]}.has_output(1));
}

TEST_CASE("Nodes that compute the same become one", "[passes]") {
    const auto left = [](const std::string& graph) {
        return ops(after(graph_of(graph), {"eliminate_common", "eliminate_dead"}).view());
    };
    CHECK(left("(float[2] x) => (float[2] y) { a = Relu(x) b = Relu(x) c = Neg(a) d = Neg(b) y = Add(c, d) }") ==
          "Relu Neg Add");
    CHECK(left("(float[2] x) => (float[2] y) { a = LeakyRelu<alpha = 0.1>(x) b = LeakyRelu<alpha = 0.2>(x) y = Add(a, "
               "b) }") == "LeakyRelu LeakyRelu Add");
    CHECK(left("(float[2] x) => (float[2] y) { a = Constant<value_float = 1.0>() b = Constant<value_float = 1.0>() c = "
               "Add(x, a) d = Add(x, b) y = Mul(c, d) }") == "Add Mul");
    CHECK(left("(float[2] x) => (float[2] y) { a = Constant<value_float = 0.0>() b = Constant<value_float = -0.0>() c "
               "= Div(x, a) d = Div(x, b) y = Mul(c, d) }") == "Div Div Mul");
    CHECK(left("(float[2] x) => (float[2] y) { a = RandomNormalLike(x) b = RandomNormalLike(x) y = Add(a, b) }") ==
          "RandomNormalLike RandomNormalLike Add");
    CHECK(left("(float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Relu(x) }") == "Relu Relu");
    CHECK(left("(float[2] x) => (float[2] y, float[2] z) { y = Relu(x) a = Relu(x) z = Neg(a) }") == "Relu Neg");
    CHECK(ops(after(model_of("<ir_version: 8, opset_import: [\"\" : 17, \"acme\" : 1]> g (float[2] x) => (float[2] y) "
                             "{ a = acme.Dice(x) b = acme.Dice(x) y = Add(a, b) }"),
                    {"eliminate_common", "eliminate_dead"})
                  .view()) == "Dice Dice Add");
    CHECK(left("(float[2,2] x) => (float y) { a = Det(x) b = Det(x) y = Add(a, b) }") ==
          "Det Det Add");  // of an operator that Inlay has not it knows nothing
}

TEST_CASE("Shape arithmetic on inferred shapes becomes constants", "[passes]") {
    SECTION("known dimensions") {
        const model m = after(graph_of(R"((float[N,6,4] x, int64[1] other) => (int64[1] y) {
            zero = Constant<value_ints = [0]>() one = Constant<value_int = 1>() two = Constant<value_ints = [2]>() three = Constant<value_ints = [3]>()
            s = Shape(x) a = Gather(s, one) b = Slice(s, two, three) c = Unsqueeze(a, zero) d = Mul(c, b) e = Concat<axis = 0>(d, two) f = Slice(e, zero, two) g = Div(f, three) h = Slice(g, zero, zero)
            i = Gather(g, zero) y = Add(i, other) })"),
                              {"fold_shapes", "eliminate_dead"});
        REQUIRE(ops(m.view()) == "Add");
        CHECK(constant_input(m, 0, 0).as<std::int64_t>()[0] == 8);
    }
    SECTION("a target that copies and infers") {
        const model m = after(graph_of(R"((float[N,S,12] x) => (float[?,?,?,?] y) {
            zero = Constant<value_ints = [0]>() i0 = Constant<value_int = 0>() i1 = Constant<value_int = 1>() three = Constant<value_ints = [3]>() four = Constant<value_ints = [4]>()
            s = Shape(x) n = Gather(s, i0) t = Gather(s, i1) un = Unsqueeze(n, zero) ut = Unsqueeze(t, zero) to = Concat<axis = 0>(un, ut, three, four) y = Reshape(x, to) })"),
                              {"fold_shapes", "eliminate_dead"});
        REQUIRE(ops(m.view()) == "Reshape");
        const auto to = constant_input(m, 0, 1).as<std::int64_t>();
        CHECK(std::vector<std::int64_t>(to.begin(), to.end()) == std::vector<std::int64_t>{0, 0, 3, 4});
    }
    SECTION("a target with one unknown dimension") {
        const model m = after(graph_of(R"((float[N,12] x, float[M,2] z) => (float[?,?] y) {
            zero = Constant<value_ints = [0]>() i0 = Constant<value_ints = [0]>() six = Constant<value_ints = [6]>()
            s = Shape(z) n = Gather(s, i0) to = Concat<axis = 0>(n, six) y = Reshape(x, to) })"),
                              {"fold_shapes", "eliminate_dead"});
        REQUIRE(ops(m.view()) == "Reshape");
        CHECK(constant_input(m, 0, 1).as<std::int64_t>()[0] == -1);
    }
    SECTION("not with two unknown dimensions") {
        const model m =
            after(graph_of("(float[N,12] x, float[M,K] z) => (float[?,?] y) { s = Shape(z) y = Reshape(x, s) }"),
                  {"fold_shapes", "eliminate_dead"});
        CHECK(ops(m.view()) == "Shape Reshape");
    }
    SECTION("not where the target may hold -1 or 0") {
        const model m = after(graph_of("(float[N,12] x, float[M,2] z) => (float[?,?] y) { i0 = Constant<value_ints = "
                                       "[0]>() k = Constant<value_ints = [-1]>() s = Shape(z) n = Gather(s, i0) to = "
                                       "Concat<axis = 0>(n, k) y = Reshape(x, to) }"),
                              {"fold_shapes", "eliminate_dead"});
        CHECK(ops(m.view()) == "Shape Gather Concat Reshape");
    }
    SECTION("an output stays what it is") {
        CHECK(ops(after(graph_of("(float[2,3] x) => (int64[2] y) { y = Shape(x) }"), {"fold_shapes", "eliminate_dead"})
                      .view()) == "Shape");
    }
}

namespace {
// A graph with the input x and the constant c, and an evaluator that adds 1 to the first number and counts its calls.
struct graph_to_fold {
    graph_data g;
    int calls = 0;
    const evaluator fake = [this](const graph_view& v, const node& n,
                                  std::span<const tensor> in) -> result<std::vector<tensor>> {
        ++calls;
        if (n.op == "Softmax") return error(error_code::invalid_value, "no");
        const value& y = v.values[std::size_t(v.list(n.outputs)[0])];
        tensor t(element::f32, y.dims.known() ? y.dims : in[0].shape());
        t.as<float>()[0] = in[0].as<float>()[0] + 1;
        return std::vector{t};
    };
    const int x = g.add_value("x", element::f32, {2}), c = g.add_constant("c", tensor({2}, {1.f, 2.f}));

    graph_to_fold() { g.inputs = {x}; }
    int add(std::string_view op, std::vector<int> in, const shape& dims, std::string_view domain = "") {
        const int y = g.add_value(op, element::f32, dims);
        g.add_node(domain, op, 1, op, {}, in, std::span(&y, 1));
        return y;
    }
};
}  // namespace

TEST_CASE_METHOD(graph_to_fold, "Nodes of constants are computed by the evaluator, unless the result is much larger",
                 "[passes]") {
    SECTION("a chain") {
        const int a = add("Neg", {c}, {2}), b = add("Abs", {a}, shape::unknown()), y = add("Add", {x, b}, {2});
        g.outputs = {y};
        CHECK(passes::fold_constants(g, fake) == 2);
        CHECK(ops(g.view()) == "Add");
        CHECK(g.constants.at(std::size_t(g.values[std::size_t(b)].constant)).as<float>()[0] == 3);
        CHECK(g.values[std::size_t(b)].kind == contents::reals);
        CHECK(passes::eliminate_dead(g, {}) == 2);
        CHECK(g.constants.size() == 1);
    }
    SECTION("what stays") {
        const int big = add("Expand", {c, c}, {1 << 20}),
                  huge = add("Tile", {c, c}, {std::int64_t(1) << 40, std::int64_t(1) << 22}),
                  open = add("Range", {c, c, c}, shape::unknown()), random = add("RandomNormalLike", {c}, {2});
        const int custom = add("Op", {c}, {2}, "acme"), fails = add("Softmax", {c}, {2}), out = add("Neg", {c}, {2});
        const int y = add("Sum", {x, big, huge, open, random, custom, fails}, {2});
        g.outputs = {y, out};
        CHECK(passes::fold_constants(g, fake) == 0);
        CHECK(g.nodes.size() == 8);
        CHECK(calls == 1);
    }
    SECTION("a large one that does not grow") {
        const int w = g.add_constant("w", tensor(element::f32, {100000})), t = add("Transpose", {w}, {100000}),
                  y = add("Add", {x, t}, {2});
        g.outputs = {y};
        CHECK(passes::fold_constants(g, fake) == 1);
    }
    SECTION("a dequantised one, though it grows, and what reads it; the nodes stay for providers of integers") {
        const int w = g.add_constant("w", tensor(element::f32, {20000})), d = add("DequantizeLinear", {w}, {100000}),
                  t = add("Transpose", {d}, {100000}), y = add("Add", {x, t}, {2});
        g.outputs = {y};
        CHECK(passes::fold_constants(g, fake) == 2);
        CHECK(ops(g.view()) == "DequantizeLinear Transpose Add");
        CHECK(g.values[std::size_t(d)].is_constant());
        CHECK(g.values[std::size_t(t)].is_constant());
        CHECK(passes::fold_constants(g, fake) == 0);
        CHECK(passes::eliminate_dead(g, {}) == 1);  // the evaluator's c
        CHECK(ops(g.view()) == "DequantizeLinear Transpose Add");
    }
    SECTION("a type other than the declared one is not believed") {
        const int y = g.add_value("wrong", element::i64, {2});
        g.add_node("", "Neg", 1, "Neg", {}, std::span(&c, 1), std::span(&y, 1));
        g.outputs = {add("Add", {x, y}, {2})};
        CHECK(passes::fold_constants(g, fake) == 0);
    }
}

TEST_CASE_METHOD(graph_to_fold, "Constants that subgraphs read move into them", "[passes]") {
    graph_data body;
    const int in = body.add_value("in", element::f32, {2}), b1 = body.add_value("a", element::f32, {2}),
              b2 = body.add_value("x", element::f32, {2}), r = body.add_value("r", element::f32, {2});
    body.inputs = {in, b1, b2};
    body.outputs = {r};
    const int both[] = {b1, b2};
    body.add_node("", "Add", 14, "add", {}, both, std::span(&r, 1));
    const int a = add("Neg", {c}, {2});
    const attribute list[] = {g.make("body", std::move(body))};
    const int y = g.add_value("y", element::f32, {2});
    node& n = g.add_node("", "Scan", 11, "scan", list, std::span(&x, 1), std::span(&y, 1));
    n.captures = g.add_edges({a, x});
    g.outputs = {y};
    CHECK(passes::fold_constants(g, fake) == 2);
    CHECK(g.subgraphs[0].inputs.size() == 2);
    CHECK(g.subgraphs[0].values[1].is_constant());
    CHECK(g.nodes[0].captures.count == 1);
    CHECK(g.view().list(g.nodes[0].captures)[0] == x);
}

TEST_CASE("Nodes with another number of outputs are other nodes", "[passes]") {
    const auto left = [](const std::string& graph) {
        return ops(after(graph_of(graph), {"eliminate_common", "eliminate_dead"}).view());
    };
    CHECK(
        left("(float[6] x) => (float[?] y, float[?] z) { a, b, c = Split(x) d, e = Split(x) y = Neg(b) z = Neg(e) }") ==
        "Split Split Neg Neg");
    CHECK(left("(float[6] x) => (float[?] y, float[?] z) { a, b, c = Split(x) d, e, f = Split(x) y = Neg(b) z = Abs(e) "
               "}") == "Split Neg Abs");
    CHECK(left("(float[2,3] x, float[3] s) => (float[?,?] y, float[?,?] z) {"
               " a, m, v = BatchNormalization<training_mode = 1>(x, s, s, s, s) b = BatchNormalization(x, s, s, s, s)"
               " y = Neg(a) z = Neg(b) }") == "BatchNormalization BatchNormalization Neg Neg");
}
TEST_CASE("A part of a Split that has no name counts", "[passes]") {
    const model m = after(graph_of("(float[6] x) => (float[?] y) { a, \"\" = Split(x) y = Neg(a) }"),
                          {"eliminate_common", "eliminate_dead"});
    CHECK(m.view().nodes[0].outputs.count == 2);
    CHECK(m.view().values[std::size_t(find_value(m.view(), "a"))].dims == shape{3});
}
TEST_CASE("A division by zero stays behind the Conv, for 0 / 0 is not 0 * infinity", "[passes]") {
    auto p = conv_then("y = Div(a, zero)");
    constant(p, "zero", {1}, {0});
    CHECK(ops(after(p, {"fold_batch_normalization", "eliminate_dead"}).view()) == "Conv Div");
}

TEST_CASE("Where an operator's own shape rule contradicts what onnx inferred, the rule is right", "[passes]") {
    // A last window that would begin in the padding: onnx counts it before opset 22.
    const std::string pool = "p = MaxPool<kernel_shape = [2,2], strides = [2,2], pads = [0,0,1,1], ceil_mode = 1>(x) ";
    const auto dims = [](const model& m, const char* name) {
        const int v = find_value(m.view(), name);
        return v < 0 ? shape::unknown() : m.view().values[std::size_t(v)].dims;
    };
    const auto left = [](const std::string& graph) {
        return after(graph_of(graph), {"fold_shapes", "eliminate_dead"});
    };
    const model known = left("(float[1,3,4,4] x) => (float[1,3,?,?] p, int64[4] s, int64[4] t) { " + pool +
                             "s = Shape(p) r = Shape(p) t = Neg(r) }");
    CHECK(dims(known, "p") == shape{1, 3, 2, 2});
    const node_view neg{known.view(), known.view().nodes.back()};
    REQUIRE(neg.input_integers(0));
    CHECK(std::ranges::equal(*neg.input_integers(0), std::array<std::int64_t, 4>{1, 3, 2, 2}));
    const model open = left("(float[N,3,4,4] x) => (float[N,3,?,?] q) { " + pool + "q = Relu(p) }");
    CHECK(dims(open, "p")[0] < -1);  // still N
    CHECK(dims(open, "p")[1] == 3);
    CHECK(dims(open, "p")[2] == 2);
    CHECK(dims(open, "q")[3] == 2);  // what follows is told anew
    CHECK(known.outputs()[0].shape == shape{1, 3, 2, 2});
    const model inside = left("(float[1,3,4,4] x, bool c) => (int64[4] y) { " + pool +
                              "y = If(c) <then_branch = a () => (int64[4] s) { s = Shape(p) },"
                              " else_branch = b () => (int64[4] s) { q = Shape(p) s = Neg(q) }> }");
    const graph_data& branch = inside.graph().subgraphs.back();
    const node_view negative{branch.view(), branch.nodes.back()};
    REQUIRE(negative.input_integers(0));
    CHECK(std::ranges::equal(*negative.input_integers(0), std::array<std::int64_t, 4>{1, 3, 2, 2}));
}

TEST_CASE("What inference leaves open of constant nodes, their operators' rules tell", "[passes]") {
    // The library follows no sizes through arithmetic: to it the repeats are unknown until they are a constant.
    auto p = graph_of(
        "(float[4] x) => (float[4] y) { two = Constant<value_ints = [2]>() r = Add(two, two) w = Tile(one, r) "
        "y = Add(x, w) }");
    constant(p, "one", {1}, {1});
    CHECK(ops(after(p, {"fold_constants"}).view()) == "Add");
    auto large = graph_of(
        "(float[1] x) => (float[?] y) { two = Constant<value_ints = [400000]>() r = Neg(two) n = Neg(r) "
        "w = Tile(one, n) y = Add(x, w) }");
    constant(large, "one", {1}, {1});
    CHECK(ops(after(large, {"fold_constants"}).view()) == "Tile Add");
}

TEST_CASE("Constants that double again and again are computed only while they are small", "[passes]") {
    std::string nodes;
    for (int k = 0; k < 40; ++k)
        nodes += "w" + std::to_string(k + 1) + " = Concat<axis = 0>(w" + std::to_string(k) + ", w" + std::to_string(k) +
                 ") ";
    auto p = graph_of("(float[1] x) => (float[?] y) { " + nodes + "y = Add(x, w40) }");
    constant(p, "w0", {1024}, std::vector<float>(1024, 1));
    const model m = loaded(p, {});
    CHECK(m.view().nodes.size() > 20);
    CHECK(rewrites(m, "fold_constants") > 0);
    std::int64_t bytes = 0;
    for (const tensor& t : m.graph().constants) bytes += t.bytes();
    CHECK(bytes <= std::int64_t(256) << 20);
}

TEST_CASE("BatchNormalization goes into the Conv before", "[passes]") {
    auto p = conv_then("y = BatchNormalization<epsilon = 0.25>(a, s, t, m, v)");
    constant(p, "s", {3}, {1, 2, -3});
    constant(p, "t", {3}, {4, 5, 6});
    constant(p, "m", {3}, {.5, -1, 2});
    constant(p, "v", {3}, {.75, 3.75, 0});
    const model m = after(p, {"fold_batch_normalization", "eliminate_dead"});
    REQUIRE(ops(m.view()) == "Conv");
    CHECK(m.view().values[std::size_t(m.view().outputs[0])].name == "y");
    CHECK(m.graph().constants.size() == 2);
    const auto w = constant_input(m, 0, 1).as<float>(), b = constant_input(m, 0, 2).as<float>();
    const double scale[] = {1, 1, -6};
    for (std::size_t i = 0; i < w.size(); ++i) CHECK(w[i] == Approx((double(i) - 20) * scale[i / 18]));
    CHECK(b[0] == Approx((1 - .5) * 1 + 4));
    CHECK(b[1] == Approx((2 + 1) * 1 + 5));
    CHECK(b[2] == Approx((3 - 2) * -6 + 6));
}

TEST_CASE("BatchNormalization in 16 bits goes into the Conv before, where the type can hold the result", "[passes]") {
    const auto folded = [](element e, float weight, float scale) {
        const std::string type(name_of(e));
        std::string casts;
        for (const char* name : {"w", "s", "t", "m", "v"})
            casts += " " + std::string(name) + "h = Cast<to = " + std::to_string(int(e)) + ">(" + name + ")";
        auto p = graph_of("(" + type + "[1,1,3,3] x) => (" + type + "[1,2,3,3] y) {" + casts +
                          " a = Conv(x, wh) y = BatchNormalization<epsilon = 0.25>(a, sh, th, mh, vh) }");
        p.mutable_opset_import(0)->set_version(22);  // the first with bfloat16
        p.set_ir_version(10);
        constant(p, "w", {2, 1, 1, 1}, {weight, 2});
        constant(p, "s", {2}, {scale, 3});
        constant(p, "t", {2}, {.5, -.5});
        constant(p, "m", {2}, {1, 1});
        constant(p, "v", {2}, {.75, 3.75});
        return after(p, {"fold_constants", "fold_batch_normalization", "eliminate_dead"});
    };
    const auto check = [&]<class T>(T) {
        const model m = folded(element_of<T>, 1, 2);
        REQUIRE(ops(m.view()) == "Conv");
        const auto w = constant_input(m, 0, 1).as<T>(), b = constant_input(m, 0, 2).as<T>();
        CHECK(float(w[0]) == 2);
        CHECK(float(w[1]) == 3);
        CHECK(float(b[0]) == -1.5);
        CHECK(float(b[1]) == -2);
    };
    check(float16());
    check(bfloat16());
    CHECK(ops(folded(element::f16, 4, 1e4f).view()) == "Conv");
    CHECK(ops(folded(element::f16, 4, 3e4f).view()) == "Conv BatchNormalization");  // beyond 65504
    CHECK(ops(folded(element::bf16, 4, 3e4f).view()) == "Conv");
}

TEST_CASE("Arithmetic per channel goes into a BatchNormalization that stays", "[passes]") {
    auto p = graph_of(
        "(float[1,3,2,2] x) => (float[1,3,2,2] y) { r = Relu(x) a = BatchNormalization(r, s, t, m, v) c = Mul(f, a) d "
        "= Add(c, h) y = Relu(d) }");
    constant(p, "s", {3}, {1, 2, -3});
    constant(p, "t", {3}, {4, 5, 6});
    constant(p, "m", {3}, {.5, -1, 2});
    constant(p, "v", {3}, {.75, 3.75, 1});
    constant(p, "f", {3, 1, 1}, {2, 3, 4});
    constant(p, "h", {1, 3, 1, 1}, {10, 20, 30});
    const model m = after(p, {"fold_batch_normalization", "eliminate_dead"});
    REQUIRE(ops(m.view()) == "Relu BatchNormalization Relu");
    CHECK(rewrites(m, "fold_batch_normalization") == 2);
    const auto scale = constant_input(m, 1, 1).as<float>(), shift = constant_input(m, 1, 2).as<float>(),
               mean = constant_input(m, 1, 3).as<float>();
    CHECK(std::vector<float>(scale.begin(), scale.end()) == std::vector<float>{2, 6, -12});
    CHECK(std::vector<float>(shift.begin(), shift.end()) == std::vector<float>{18, 35, 54});
    CHECK(mean[1] == -1);
}

TEST_CASE("Arithmetic per channel goes into the Conv before", "[passes]") {
    const std::vector<std::string> names{"fold_batch_normalization", "eliminate_dead"};
    SECTION("Mul, then Add") {
        auto p = conv_then("c = Mul(s, a) y = Add(c, t)");
        constant(p, "s", {3, 1, 1}, {2, 3, 4});
        constant(p, "t", {1, 3, 1, 1}, {10, 20, 30});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "Conv");
        CHECK(constant_input(m, 0, 1).as<float>()[18] == -6);
        CHECK(constant_input(m, 0, 2).as<float>()[2] == 42);
    }
    SECTION("Sub and Div of one number") {
        auto p = conv_then("c = Sub(a, s) y = Div(c, t)");
        constant(p, "s", {}, {1});
        constant(p, "t", {1}, {2});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "Conv");
        CHECK(constant_input(m, 0, 2).as<float>()[2] == 1);
    }
    SECTION("without a bias") {
        auto p = conv_then("y = Add(a, t)");
        p.mutable_graph()->mutable_node(0)->mutable_input()->RemoveLast();
        constant(p, "t", {1, 3, 1, 1}, {10, 20, 30});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "Conv");
        CHECK(constant_input(m, 0, 2).as<float>()[1] == 20);
    }
    SECTION("after ConvTranspose with groups") {
        auto p =
            graph_of("(float[1,4,3,3] x) => (float[?,?,?,?] y) { a = ConvTranspose<group = 2>(x, w) y = Mul(a, s) }");
        constant(p, "w", {4, 2, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1});
        constant(p, "s", {4, 1, 1}, {1, 2, 3, 4});
        const model m = after(p, names);
        REQUIRE(ops(m.view()) == "ConvTranspose");
        const auto w = constant_input(m, 0, 1).as<float>();
        CHECK(std::vector<float>(w.begin(), w.end()) == std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4});
    }
    SECTION("what stays") {
        const auto left = [&](const std::string& rest, std::initializer_list<std::int64_t> dims, std::size_t count,
                              const std::string& outputs = "float[?,?,?,?] y") {
            auto p = conv_then(rest, "", outputs);
            constant(p, "s", dims, std::vector<float>(count, 2));
            return ops(after(p, names).view());
        };
        CHECK(left("y = Mul(a, s)", {1, 1, 3, 1}, 3) == "Conv Mul");     // per row
        CHECK(left("y = Mul(a, s)", {3}, 3) == "Conv Mul");              // per column
        CHECK(left("y = Mul(a, s)", {2, 1, 1, 1}, 2) == "Conv Mul");     // more batches
        CHECK(left("y = Mul(a, s)", {1, 1, 3, 1, 1}, 3) == "Conv Mul");  // a higher rank
        CHECK(left("y = Sub(s, a)", {3, 1, 1}, 3) == "Conv Sub");
        CHECK(left("y = Div(s, a)", {3, 1, 1}, 3) == "Conv Div");
        CHECK(left("b2 = Relu(a) c = Mul(a, s) y = Add(b2, c)", {3, 1, 1}, 3) == "Conv Relu Mul Add");
        CHECK(left("y = Mul(a, s)", {3, 1, 1}, 3, "float[?,?,?,?] y, float[?,?,?,?] a") == "Conv Mul");
        CHECK(left("y = Mul(a, a)", {3, 1, 1}, 3) == "Conv Mul");
    }
    SECTION("not a BatchNormalization that trains") {
        auto p = conv_then("y, m2, v2 = BatchNormalization<training_mode = 1>(a, s, t, m, v)");
        for (const char* name : {"s", "t", "m", "v"}) constant(p, name, {3}, {1, 2, 3});
        CHECK(ops(after(p, names).view()) == "Conv BatchNormalization");
    }
}

TEST_CASE("Conv and what follows are offered as one node", "[passes]") {
    const auto offered = [](const std::string& rest, const std::string& inputs = "") {
        const model m = after(conv_then(rest, inputs), {"fuse_conv_activation"});
        CHECK(m.view().nodes.size() >= 2);  // nothing is replaced
        return fused(m.view());
    };
    CHECK(offered("y = Relu(a)") == "FusedConv(0 1)=Relu");
    CHECK(offered("y = Sigmoid(a)") == "FusedConv(0 1)=Sigmoid");
    CHECK(offered("y = HardSwish(a)") == "FusedConv(0 1)=HardSwish");
    CHECK(offered("s = Sigmoid(a) y = Mul(a, s)") == "FusedConv(0 1 2)=Silu");
    CHECK(offered("s = Sigmoid(a) y = Mul(s, a)") == "FusedConv(0 1 2)=Silu");
    CHECK(offered("s = HardSigmoid<alpha = 0.16666667, beta = 0.5>(a) y = Mul(s, a)") == "FusedConv(0 1 2)=HardSwish");
    CHECK(offered("s = HardSigmoid(a) y = Mul(s, a)") == "");
    CHECK(offered("s = Sigmoid(a) t = Mul(a, s) y = Add(t, s)") == "");
    CHECK(offered("s = Relu(a) y = Add(a, s)") == "");
    CHECK(offered("y = Softmax(a)") == "");
    CHECK(offered("c = Add(a, z) y = Relu(c)", ", float[N,3,3,3] z") == "FusedConv(0 1 2)=Relu FusedConv(0 1)=");
    CHECK(offered("c = Add(z, a) y = Relu(c)", ", float[N,3,3,3] z") == "FusedConv(0 1 2)=Relu FusedConv(0 1)=");
    CHECK(offered("c = Add(a, z) y = Relu(c)", ", float[M,3,3,3] z") == "");
    CHECK(offered("c = Add(a, z) y = Relu(c)", ", float[3,1,1] z") == "");
    CHECK(offered("c = Add(a, a) y = Relu(c)") == "");
    CHECK(offered("c = Add(a, z) d = Relu(c) y = Sub(c, d)", ", float[N,3,3,3] z") == "FusedConv(0 1)=");
}

TEST_CASE("A fused node says all that its sources say", "[passes]") {
    auto p = conv_then("c = Clip(a, low, high) y = Neg(c)");
    constant(p, "low", {}, {-1});
    constant(p, "high", {}, {6});
    const model m = after(p, {"fuse_conv_activation"});
    const graph_view& g = m.view();
    REQUIRE(g.fused.size() == 1);
    const node_view f{g, g.fused[0]};
    CHECK(f.record.domain == "inlay");
    CHECK(f.version() == 1);
    CHECK(f.record.name == "Conv_0+Clip_1");
    CHECK(f.input_count() == 4);
    CHECK(f.input(0).name == "x");
    CHECK(f.input(1).name == "w");
    CHECK(f.input(2).name == "b");
    CHECK(!f.has_input(3));
    CHECK(f.output(0).name == "c");
    CHECK(f.integers("kernel_shape").size() == 2);
    CHECK(f.text("activation", "") == "Clip");
    REQUIRE(f.reals("activation_params").size() == 2);
    CHECK(f.reals("activation_params")[0] == -1);
    CHECK(f.reals("activation_params")[1] == 6);
}

TEST_CASE("Two Convs may both offer to take the sum", "[passes]") {
    auto p = graph_of(
        "(float[N,2,5,5] x) => (float[?,?,?,?] y) { a = Conv(x, w) b = Conv(x, v) c = Add(a, b) y = Relu(c) }");
    constant(p, "w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    constant(p, "v", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    const model m = after(p, {"fuse_conv_activation"});
    CHECK(fused(m.view()) == "FusedConv(1 2 3)=Relu FusedConv(0 2 3)=Relu FusedConv(1 2)= FusedConv(0 2)=");
    CHECK(node_view{m.view(), m.view().fused[0]}.input(3).name == "a");
}

TEST_CASE("Gemm and an activation are offered as one node", "[passes]") {
    auto p = graph_of("(float[N,2] x) => (float[N,3] y) { a = Gemm<transB = 1>(x, w) b = Relu(a) y = Gemm(b, v) }");
    constant(p, "w", {3, 2}, {1, 2, 3, 4, 5, 6});
    constant(p, "v", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const model m = after(p, {"fuse_gemm_activation"});
    REQUIRE(fused(m.view()) == "FusedGemm(0 1)=Relu");
    CHECK(node_view{m.view(), m.view().fused[0]}.integer("transB", 0) == 1);
    CHECK(node_view{m.view(), m.view().fused[0]}.has_input(2) == false);
}

TEST_CASE("Passes work in subgraphs", "[passes]") {
    const model m = loaded(
        graph_of(
            "(float[2] x, bool c) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] r) { a = Relu(x) b = "
            "Relu(x) d = Identity(b) r = Add(a, d) }, else_branch = e () => (float[2] q) { z = Neg(x) q = Abs(x) }> }"),
        {});
    CHECK(ops(m.view().subgraphs[0]) == "Relu Add");
    CHECK(ops(m.view().subgraphs[1]) == "Abs");
}
