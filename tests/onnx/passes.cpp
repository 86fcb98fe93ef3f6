#include "passes.hpp"

using namespace inlay;
using namespace inlay::testing;

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
    CHECK(left("(float[2,2] x) => (float[2,2] y) { a = Transpose<perm = [1, 0]>(x) y = Relu(a) }") == "Transpose Relu");
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
    CHECK(ops(after(proto_of("<ir_version: 8, opset_import: [\"\" : 17, \"acme\" : 1]> g (float[2] x) => (float[2] y) "
                             "{ a = acme.Dice(x) b = acme.Dice(x) y = Add(a, b) }"),
                    {"eliminate_common", "eliminate_dead"})
                  .view()) == "Dice Dice Add");  // of an operator that Inlay has not it knows nothing
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
    const evaluator fake{
        [this](const graph_view& v, const node& n, std::span<const tensor> in) -> result<std::vector<tensor>> {
            ++calls;
            if (n.op == "Softmax") return error(error_code::invalid_value, "no");
            const value& y = v.values[std::size_t(v.list(n.outputs)[0])];
            tensor t(element::f32, y.dims.known() ? y.dims : in[0].shape());
            t.as<float>()[0] = in[0].as<float>()[0] + 1;
            return std::vector{t};
        }};
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
        CHECK(tensor_view(g.constants.at(std::size_t(g.values[std::size_t(b)].constant)).get()).as<float>()[0] == 3);
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

TEST_CASE("What is dequantized to a large constant is computed when it is read, and what moves it too", "[passes]") {
    auto p = graph_of(
        "(float[1,300] x) => (float[1,300] y) <float s = {0.5}, int8 z = {1}> { d = DequantizeLinear(w, s, z) "
        "t = Transpose<perm = [1, 0]>(d) y = MatMul(x, t) }");
    auto& w = *p.mutable_graph()->add_initializer();
    w.set_name("w");
    w.set_data_type(onnx::TensorProto::INT8);
    for (int k = 0; k < 2; ++k) w.add_dims(300);
    std::string codes(90000, '\0');
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = char(int(i % 251) - 125);
    w.set_raw_data(codes);
    const model m = loaded(p, {});
    const graph_view& g = m.view();
    CHECK(ops(g) == "DequantizeLinear Transpose MatMul");
    const auto constant = [&](std::string_view name) {
        return m.graph().constants.at(std::size_t(g.values[find_value(g, name)].constant));
    };
    CHECK(!constant("w").is_made_on_demand());
    REQUIRE(constant("d").is_made_on_demand());
    REQUIRE(constant("t").is_made_on_demand());
    const tensor_view d(constant("d").get()), t(constant("t").get());
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < 300; ++i)
        for (std::size_t j = 0; j < 300; ++j) {
            const float expected = .5f * float(int(i * 300 + j) % 251 - 125 - 1);
            wrong += d.as<float>()[i * 300 + j] != expected || t.as<float>()[j * 300 + i] != expected;
        }
    CHECK(wrong == 0);
}

TEST_CASE_METHOD(graph_to_fold, "Constants that subgraphs read move into them", "[passes]") {
    graph_data body;
    const int in = body.add_value("in", element::f32, {2}), b1 = body.add_value("a", element::f32, {2}),
              b2 = body.add_value("x", element::f32, {2}), r = body.add_value("r", element::f32, {2});
    body.inputs = {in, b1, b2};
    body.outputs = {r};
    const int inputs[] = {b1, b2};
    body.add_node("", "Add", 14, "add", {}, inputs, std::span(&r, 1));
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
    const model pooled = left("(float[1,3,4,4] x) => (float[1,3,?,?] p, int64[4] s, int64[4] t) { " + pool +
                              "s = Shape(p) r = Shape(p) t = Neg(r) }");
    CHECK(dims(pooled, "p") == shape{1, 3, 2, 2});
    const node_view neg{pooled.view(), pooled.view().nodes.back()};
    REQUIRE(neg.input_integers(0));
    CHECK(std::ranges::equal(*neg.input_integers(0), std::array<std::int64_t, 4>{1, 3, 2, 2}));
    const model open = left("(float[N,3,4,4] x) => (float[N,3,?,?] q) { " + pool + "q = Relu(p) }");
    CHECK(dims(open, "p")[0] < -1);  // still N
    CHECK(dims(open, "p")[1] == 3);
    CHECK(dims(open, "p")[2] == 2);
    CHECK(dims(open, "q")[3] == 2);  // what follows is inferred again
    CHECK(pooled.outputs()[0].shape == shape{1, 3, 2, 2});
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
    for (const graph_constant& c : m.graph().constants) bytes += c.bytes();
    CHECK(bytes <= std::int64_t(256) << 20);
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
