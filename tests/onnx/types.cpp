#include "engine/facts.hpp"
#include "models.hpp"
#include "onnx/proto.hpp"
#include "onnx/schemas.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
std::string refusal_of(const std::string& graph) {
    const error e = refused(graph_of(graph));
    CAPTURE(e.text);
    CHECK(e.code == error_code::invalid_model);
    CHECK(!contains(e.text, "\n"));
    return e.text;
}

// A node of every formal argument of a schema, variadic ones twice, whose inputs have the types that are chosen.
class typed_node {
    const onnx::OpSchema& schema_;
    std::vector<std::string> variables_{};  // of inputs
    std::vector<std::vector<element>> allowed_{};
    std::vector<std::size_t> choices_{}, inputs_{};  // the latter by variable

    static std::vector<element> types_of(const onnx::OpSchema::FormalParameter& p) {
        std::vector<element> list;
        for (int e = 1; e < int(element::object); ++e)
            if (p.GetTypes().contains(
                    onnx::Utils::DataTypeUtils::ToType("tensor(" + std::string(name_of(element(e))) + ")")))
                list.push_back(element(e));
        return list;
    }
    static std::size_t count(const onnx::OpSchema::FormalParameter& p) {
        return p.GetOption() == onnx::OpSchema::Variadic ? 2 : 1;
    }

  public:
    explicit typed_node(const onnx::OpSchema& s) : schema_(s) {
        for (const auto& p : s.inputs()) {
            const auto at = std::find(variables_.begin(), variables_.end(), p.GetTypeStr());
            inputs_.insert(inputs_.end(), count(p), std::size_t(at - variables_.begin()));
            if (at != variables_.end()) continue;
            variables_.push_back(p.GetTypeStr());
            allowed_.push_back(types_of(p));
        }
        choices_.resize(variables_.size());
    }
    bool has_tensors() const {
        return std::none_of(allowed_.begin(), allowed_.end(), [](const auto& list) { return list.empty(); });
    }
    bool next() {
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            if (++choices_[i] < allowed_[i].size()) return true;
            choices_[i] = 0;
        }
        return false;
    }
    std::vector<element> types() const {
        std::vector<element> list;
        for (std::size_t i : inputs_) list.push_back(allowed_[i][choices_[i]]);
        return list;
    }
    onnx::NodeProto proto() const {
        onnx::NodeProto n;
        n.set_op_type(schema_.Name());
        for (std::size_t k = 0; k < inputs_.size(); ++k) n.add_input("x" + std::to_string(k));
        for (const auto& p : schema_.outputs())
            for (std::size_t i = 0; i < count(p); ++i) n.add_output("y" + std::to_string(n.output_size()));
        return n;
    }
    graph_data graph() const {
        graph_data g;
        std::vector<int> in, out;
        for (const element e : types()) in.push_back(g.add_value("x", e, shape::unknown()));
        for (int k = 0; k < proto().output_size(); ++k)
            out.push_back(g.add_value("y", element::undefined, shape::unknown()));
        g.add_node("", schema_.Name(), schema_.SinceVersion(), "n", {}, in, out);
        return g;
    }
    std::string text() const {
        std::string text = schema_.Name() + " " + std::to_string(schema_.SinceVersion());
        for (const element e : types()) text += " " + std::string(name_of(e));
        return text;
    }
};
bool has_kernel_for(const node_view& n) {
    const auto entries = std::span(stock_kernels().entries);
    return std::any_of(entries.begin(), entries.end(), [&](const entry& e) {
        bool fits = e.name == n.record.op && e.domain.empty() && e.versions.since <= n.version() &&
                    n.version() <= e.versions.through;
        for (int c = 0; fits && c < e.constraint_count; ++c)
            fits = e.constraints[std::size_t(c)] < 0 || !n.has_input(e.constraints[std::size_t(c)]) ||
                   e.elements[std::size_t(c)].has(n.input_type(e.constraints[std::size_t(c)]));
        return fits;
    });
}
// Returns for how many operators the output type is the schema's.
int agreements(const onnx::OpSchema& schema) {
    typed_node t(schema);
    if (!t.has_tensors()) return 0;
    int count = 0;
    do {
        const graph_data g = t.graph();
        const graph_view view = g.view();
        const node_view n{view, view.nodes[0]};
        if (!has_kernel_for(n)) continue;
        std::vector<value_type> inputs;
        for (const element e : t.types()) inputs.push_back({e});
        const auto expected = loading::output_types(t.proto(), schema, inputs);
        for (std::size_t k = 0; k < expected.size(); ++k) {
            if (!expected[k].is_tensor() || !expected[k].known()) continue;
            CAPTURE(t.text(), k);
            CHECK(name_of(output_type(n, int(k))) == name_of(expected[k].type));
            ++count;
        }
    } while (t.next());
    return count;
}
}  // namespace

TEST_CASE("Operators tell the types of their outputs as ONNX's schemas do", "[types]") {
    const std::set<std::string_view> of_values{
        // sequences and optionals: the nodes here have tensors only
        "ConcatFromSequence", "Optional",      "OptionalGetElement", "SequenceAt",     "SequenceConstruct",
        "SequenceEmpty",      "SequenceErase", "SequenceInsert",     "SequenceLength", "SplitToSequence"};
    std::set<std::string_view> inferred, reported;
    for (const entry& e : stock_kernels().entries)
        if (e.domain.empty() && !of_values.contains(e.name)) inferred.insert(e.name);
    for (const auto& m : loading::schema_makers) {
        if (!inferred.contains(m.name)) continue;
        onnx::OpSchema schema = m.make();
        schema.Finalize();
        if (schema.domain().empty() && agreements(schema)) reported.insert(m.name);
    }
    // Of these an attribute gives the type, or ONNX has no schema.
    for (const char* op : {"Bernoulli", "BitCast", "BlackmanWindow", "Cast", "ConstantOfShape", "EyeLike",
                           "HammingWindow", "HannWindow", "MelWeightMatrix", "Multinomial", "RandomNormal",
                           "RandomNormalLike", "RandomUniform", "RandomUniformLike", "SimplifiedLayerNormalization"})
        CHECK(reported.insert(op).second);
    CHECK(reported == inferred);
}

TEST_CASE("Operators tell the types that attributes give as ONNX's inference does", "[types]") {
    const auto check = [](const std::string& graph) {
        const model m = loaded(proto_of("<ir_version: 11, opset_import: [\"\" : 23]> g " + graph));
        for (const node& n : m.view().nodes)
            for (const node_view view{m.view(), n}; const int k : {0, 1, 2}) {
                if (!view.has_output(k)) continue;
                CAPTURE(std::string(n.op), k);
                CHECK(view.output(k).type != element::undefined);
                CHECK(name_of(output_type(view, k)) == name_of(view.output(k).type));
            }
    };
    check("(float[2,2] x) => (float[2,2] y) { a = Cast<to = 7>(x) b = Cast<to = 10>(a) y = Cast<to = 1>(b) }");
    check(
        "(int64[2] s) => (float[?,?] y) { a = ConstantOfShape(s) b = ConstantOfShape<value = int32[1] {1}>(s) "
        "c = Cast<to = 1>(b) y = Add(a, c) }");
    check("(int64[2,2] x) => (int64[2,2] y) { a = EyeLike<dtype = 1>(x) y = EyeLike(x) }");
    check(
        "(float[2,3] x) => (double[2,3] y) { y = RandomNormalLike<dtype = 11>(x) a = RandomUniformLike(x) "
        "b = RandomNormal<shape = [2], dtype = 10>() c = RandomUniform<shape = [2]>() d = Multinomial<dtype = 7>(x) "
        "e = Multinomial(x) f = Bernoulli<dtype = 9>(x) g = Bernoulli(x) }");
    check(
        "(float[2] x, float s, int8 z) => (float[2] y) { a = QuantizeLinear(x, s) b = QuantizeLinear(x, s, z) "
        "c = QuantizeLinear<output_dtype = 3>(x, s) y = DequantizeLinear(a, s) d = DequantizeLinear(b, s, z) }");
    check(
        "(float16[2,4] x, float16[4] s) => (float16[2,4] y) { y, m, v = LayerNormalization<stash_type = 1>(x, s, s) "
        "z, n, w = LayerNormalization<stash_type = 16>(x, s, s) }");
    check("(float[2] x) => (float[2] y) { y, m = Dropout(x) a, b, c = DynamicQuantizeLinear(x) }");
}

TEST_CASE(
    "An input of an element type that the operator does not take is refused by node, input, type and what is taken",
    "[types]") {
    const std::string reason = refusal_of("(float[2,3] x, int32[1] s) => (float[?] y) { [flat] y = Reshape(x, s) }");
    CHECK(contains(reason,
                   "the input `s` (shape) of `flat` (Reshape) has elements of type int32; version 14 of the operator "
                   "takes int64"));
    CHECK(contains(refusal_of("(float[2,3] x, float[1] i) => (float[?,3] y) { y = Gather(x, i) }"),
                   "`i` (indices) of the node that makes `y` (Gather) has elements of type float; version 13 of the "
                   "operator takes int32, int64"));
    CHECK(contains(refusal_of("(float[4] x, float[1] s, int64[1] e) => (float[?] y) { y = Slice(x, s, e) }"),
                   "`s` (starts)"));
    CHECK(contains(refusal_of("(float[1] x, int32[1] s) => (float[?] y) { y = Expand(x, s) }"), "`s` (shape)"));
    CHECK(contains(refusal_of("(string[1] x) => (string[1] y) { y = Relu(x) }"), "string"));
    CHECK(contains(refusal_of("(seq(float[2]) x) => (float[2] y) { y = Relu(x) }"),
                   "is of type seq(tensor(float)); version 14 of the operator takes float"));
    CHECK(contains(refusal_of("(float[2] x, int64 i) => (float[2] y) { y = SequenceAt(x, i) }"),
                   "has elements of type float; version 11 of the operator takes seq(tensor(float)), seq(tensor("));
    CHECK(
        contains(refusal_of("(float[2] x) => (float[?] y) { s = Constant<value = int32[1] {2}>() y = Reshape(x, s) }"),
                 "int32"));
    CHECK(contains(refusal_of("(float[2,3] x) => (float[?] y) { s = Shape(x) c = Cast<to = 6>(s) y = Expand(x, c) }"),
                   "`c` (shape)"));
}

TEST_CASE("Inputs that share a type variable have one type", "[types]") {
    CHECK(contains(refusal_of("(float[2] x, double[2] z) => (float[2] y) { y = Add(x, z) }"),
                   "the input `z` (B) of the node that makes `y` (Add) has elements of type double, and `x` has float; "
                   "version 14 of the operator takes one type for both"));
    CHECK(contains(refusal_of("(float[2] a, float[2] b, int32[2] c) => (float[6] y) { y = Concat<axis = 0>(a, b, c) }"),
                   "`c` (inputs)"));
    CHECK(contains(
        refusal_of("(float[2] x, float[1,3] r, double[4] s, float[4] z) => (float[4] y) { y = Resize(x, r, s, z) }"),
        "`s` (scales)"));
    CHECK(contains(refusal_of("(int64[4] x, int64[1] s, int32[1] e) => (int64[?] y) { y = Slice(x, s, e) }"),
                   "`e` (ends)"));
    CHECK(loaded(
              graph_of("(float[2,3] x, int32[2] i, int64[1] s) => (float[?] y) { a = Gather(x, i) y = Reshape(a, s) }"))
              .view()
              .nodes.size() == 2);
    CHECK(loaded(graph_of("(float[4] x, int32[1] s) => (float[?] y) { y = Slice(x, s, s) }")).view().nodes.size() ==
          1);  // another variable, another type
}

TEST_CASE("Sequences and optionals keep the type of what they hold", "[types]") {
    const auto type = [](const std::string& graph, std::string_view name) {
        const model m = loaded(graph_of(graph));
        return to_string(m.view().type_of(find_value(m.view(), name)));
    };
    CHECK(type("(seq(float[N,2]) s, int64 i) => (float[N,2] y) { y = SequenceAt(s, i) }", "y") == "tensor(float)");
    CHECK(type("(seq(bool[N]) s) => (bool[M] y) { y = ConcatFromSequence<axis = 0>(s) }", "y") == "tensor(bool)");
    const std::string make =
        "(float[2] x, float[2] z, int64 i) => (seq(float[2]) t) { s = SequenceConstruct(x, z) t = SequenceErase(s, i) "
        "o = Optional(t) u = OptionalGetElement(o) e = SequenceEmpty<dtype = 7>() p = SplitToSequence<axis = 0>(x) }";
    for (const char* name : {"s", "t", "u", "p"}) CHECK(type(make, name) == "seq(tensor(float))");
    CHECK(type(make, "o") == "optional(seq(tensor(float)))");
    CHECK(type(make, "e") == "seq(tensor(int64))");
}

TEST_CASE("A sequence or optional of another type than the operator takes is refused", "[types]") {
    CHECK(contains(refusal_of("(optional(seq(float[2])) o) => (int64 n) { n = SequenceLength(o) }"),
                   "is of type optional(seq(tensor(float))); version 11 of the operator takes seq("));
    CHECK(
        contains(refusal_of("(seq(float[2]) s, int64[2] x) => (seq(float[2]) t) { t = SequenceInsert(s, x) }"),
                 "`x` (tensor) of the node that makes `t` (SequenceInsert) has elements of type int64, and `s` is of "
                 "type seq(tensor(float)); version 11 of the operator takes a sequence and a tensor of its elements"));
}

TEST_CASE("Control flow keeps the type of what sequences hold, and refuses another", "[types]") {
    const auto branches = [](const std::string& input) {
        return "(seq(float[2]) s, " + input +
               " t, bool c) => (seq(float[2]) y) { y = If(c) <then_branch = a () => (seq(float[2]) u) { u = "
               "Identity(s) }, else_branch = b () => (" +
               input + " v) { v = Identity(t) }> }";
    };
    const auto loop = [](const std::string& declared, const std::string& next) {
        return "(seq(float[2]) s, int64 n, bool c) => (seq(float[2]) y) { y = Loop(n, c, s) <body = b (int64 i, bool "
               "ci, " +
               declared + " v) => (bool co, " + declared + " w) { co = Identity(ci) w = " + next + " }> }";
    };
    const std::string same = "Identity(v)";
    for (const std::string& graph : {branches("seq(float[2])"), loop("seq(float[2])", same)}) {
        const model m = loaded(graph_of(graph));
        CHECK(to_string(m.view().type_of(find_value(m.view(), "y"))) == "seq(tensor(float))");
        CHECK(to_string(m.outputs()[0].value_type) == "seq(tensor(float))");
        for (const graph_view& body : m.view().subgraphs)
            CHECK(to_string(body.type_of(body.outputs.back())) == "seq(tensor(float))");
    }
    CHECK(contains(refusal_of(branches("seq(int64[2])")),
                   "the output `y` of the node that makes `y` (If) is of type seq(tensor(int64)), and is declared as "
                   "seq(tensor(float))"));
    CHECK(contains(refusal_of(loop("seq(int64[2])", same)),
                   "the input `v` of the subgraph `b` is of type seq(tensor(float)), and is declared as "
                   "seq(tensor(int64))"));
    CHECK(contains(refusal_of(loop("seq(float[2])", "SequenceEmpty<dtype = 7>()")), "`w`, which the body of"));
}

TEST_CASE("A version of an operator is checked by its own schema", "[types]") {
    const auto model = [](int opset) {
        return proto_of("<ir_version: 7, opset_import: [\"\" : " + std::to_string(opset) +
                        "]> g (int32[4] x) => (int32[4] y) { y = Relu(x) }");
    };
    CHECK(contains(refused(model(13)).text, "version 13 of the operator takes float, float16, double, bfloat16"));
    CHECK(loaded(model(14)).view().nodes[0].version == 14);
}

TEST_CASE("Absent inputs have no type to check", "[types]") {
    auto p = graph_of("(float[1,2,4,4] x, float[4] s) => (float[?,?,?,?] y) { y = Resize(x, s, s) }");
    *p.mutable_graph()->mutable_node(0)->mutable_input(1) = "";
    CHECK(loaded(p).view().nodes.size() == 1);
}

TEST_CASE("Control flow and what it captures is checked", "[types]") {
    const std::string branches =
        " <then_branch = t () => (float[2] r) { r = Neg(x) }, else_branch = e () => (float[2] q) { q = Abs(x) }> }";
    CHECK(contains(refusal_of("(float[2] x, int64 c) => (float[2] y) { y = If(c)" + branches), "`c` (cond)"));
    CHECK(
        contains(refusal_of("(float[2] x, bool c, int32[1] s) => (float[?] y) { y = If(c) <then_branch = t () => "
                            "(float[?] r) { r = Reshape(x, s) }, else_branch = e () => (float[?] q) { q = Abs(x) }> }"),
                 "`s` (shape)"));
    CHECK(contains(
        refusal_of("(float[2] x, int32 n, bool c) => (float[2] y) { y = Loop(n, c, x) <body = b (int64 i, bool "
                   "ci, float[2] s) => (bool co, float[2] t) { co = Identity(ci) t = Neg(s) }> }"),
        "`n` (M)"));
    CHECK(contains(
        refusal_of(
            "(float[2] x, int64 n, bool c) => (float[?] y) { y = Loop(n, c, x) <body = b (int64 i, bool ci, "
            "float[2] s) => (bool co, float[2] t) { co = Identity(ci) o = Cast<to = 6>(i) t = Expand(s, o) }> }"),
        "`o` (shape)"));
    SECTION("a constant from outside") {
        auto p = graph_of(
            "(float[2] x, bool c) => (float[?] y) { y = If(c) <then_branch = t () => (float[?] r) { r = Reshape(x, w) "
            "}, else_branch = e () => (float[?] q) { q = Abs(x) }> }");
        *p.mutable_graph()->add_initializer() = weights("w", {1}, {2});
        const error e = refused(p);
        CHECK(e.code == error_code::invalid_model);
        CHECK(contains(e.text, "`w` (shape)"));
    }
}

TEST_CASE("What a body hands to its next round has the type of the round before", "[types]") {
    CHECK(contains(
        refusal_of("(float[2] x, int64 n, bool c) => (double[2] y) { y = Loop(n, c, x) <body = b (int64 i, bool "
                   "ci, float[2] s) => (bool co, double[2] t) { co = Identity(ci) t = Cast<to = 11>(s) }> }"),
        "`t`, which the body of"));
    const auto scan = [](const std::string& node) {
        return graph_of(
            "(float[2] first, float[5,2] x) => (float[2] last, float[5,2] all) { last, all = Scan<num_scan_inputs = 1, "
            "body = b (float[2] s, float[2] xi) => (float[2] t, float[2] u) { u = Add(s, xi) " +
            node + " }>(first, x) }");
    };
    CHECK(loaded(scan("t = Identity(u)")).view().nodes.size() == 1);
    const error e = refused(scan("t = Cast<to = 11>(u)"));
    INFO(e.text);
    CHECK(contains(e.text, "`t`, which the body of"));
}

TEST_CASE("Each input that Scan goes through has its own type and shape in the body", "[types]") {
    const model m = loaded(
        graph_of("(float[5,2] x, int64[5,4] z) => (float[a,b] p, int64[c,d] q) { p, q = Scan<num_scan_inputs = 2, "
                 "body = b (float[e] i, int64[f] j) => (float[g] u, int64[h] v) { u = Neg(i) v = Neg(j) }>(x, z) }"));
    const value &p = m.view().values[find_value(m.view(), "p")], &q = m.view().values[find_value(m.view(), "q")];
    CHECK(p.type == element::f32);
    CHECK(p.dims == shape{5, 2});
    CHECK(q.type == element::i64);
    CHECK(q.dims == shape{5, 4});
}

TEST_CASE("Each value that Scan hands on has its own type and shape in the body", "[types]") {
    const model m = loaded(graph_of(
        "(float[2] s0, int64[3] k0, float[5,2] x) => (float[a] s2, int64[b] k2, float[c,d] all) { s2, k2, all = "
        "Scan<num_scan_inputs = 1, body = g (float[e] s, int64[f] k, float[h] i) => (float[j] t, int64[l] n, float[o] "
        "u) { t = Neg(s) n = Neg(k) u = Neg(i) }>(s0, k0, x) }"));
    const value &s = m.view().values[find_value(m.view(), "s2")], &k = m.view().values[find_value(m.view(), "k2")];
    CHECK(s.type == element::f32);
    CHECK(s.dims == shape{2});
    CHECK(k.type == element::i64);
    CHECK(k.dims == shape{3});
}

TEST_CASE("A type that nothing determines stays unknown, and so does what depends on it",
          "[types]") {  // no kernel takes such nodes: tests/core/partition.cpp
    const model m = loaded(proto_of(
        R"(<ir_version: 8, opset_import: ["" : 17, "acme" : 1]> g (float[2] x) => (float[2] y, float[2] z) { a = acme.Magic(x) y = Neg(a) b = Cast<to = 1>(a) z = Add(a, b) c = Cast<to = 99>(x) })"));
    const auto type = [&](std::string_view name) { return m.view().values[find_value(m.view(), name)].type; };
    CHECK(type("a") == element::undefined);
    CHECK(type("y") == element::undefined);
    CHECK(type("b") == element::f32);
    CHECK(type("z") == element::f32);
    CHECK(type("c") == element::undefined);
}

TEST_CASE("What inference leaves without a type harms no rule that comes after it", "[types]") {
    const auto behind = [](const std::string& nodes) {
        return loaded(proto_of(
            R"(<ir_version: 8, opset_import: ["" : 20, "ai.onnx.ml" : 5, "acme" : 1]> g (float[2,2] x) => (float[?] y) { a = acme.Magic(x) )" +
            nodes + " y = Relu(x) }"));
    };
    const model m = behind("z = EyeLike<dtype = 1>(a)");
    CHECK(m.view().values[find_value(m.view(), "z")].type == element::f32);
    behind("z = EyeLike(a)");
    behind(R"(z = RegexFullMatch<pattern = "a">(a))");
    behind("z = ai.onnx.ml.LabelEncoder<keys_int64s = [1], values_floats = [2.0]>(a)");
    behind("z = ai.onnx.ml.DictVectorizer<int64_vocabulary = [1]>(a)");
    behind("z = Einsum<equation = \"ij,jk\">(a, a)");
    behind("z = BatchNormalization(a, a, a, a, a)");
    behind(
        "z = Loop(\"\", \"\", a) <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = "
        "Neg(v) }>");
}

TEST_CASE("Versions of operators without an inference rule have their types by the schema", "[types]") {
    const model m =
        loaded(proto_of("<ir_version: 5, opset_import: [\"\" : 9]> g (double[4,3] x, bool[4] c) => "
                        "(double[?,?] y) { f = Compress<axis = 0>(x, c) y = EyeLike(f) z = EyeLike<dtype = "
                        "1>(f) }"));
    const auto type = [&](std::string_view name) { return m.view().values[find_value(m.view(), name)].type; };
    CHECK(type("f") == element::f64);
    CHECK(type("y") == element::f64);
    CHECK(type("z") == element::f32);
}

TEST_CASE("Axes counted from the end have their meaning before opset 11, which did not name it", "[types]") {
    const auto shape_of = [](const std::string& node) {
        const model m = loaded(proto_of(
            "<ir_version: 5, opset_import: [\"\" : 10]> g (float[2,3] x) => (float[?] y) { y = " + node + "(x) }"));
        CHECK(m.warnings().empty());
        CHECK(m.outputs()[0].shape == m.view().values[find_value(m.view(), "y")].dims);
        return m.outputs()[0].shape;
    };
    CHECK(shape_of("Unsqueeze<axes = [-1]>") == shape{2, 3, 1});
    CHECK(shape_of("Unsqueeze<axes = [0, -2]>") == shape{1, 2, 1, 3});
    CHECK(shape_of("ReduceSum<axes = [-1]>") == shape{2, 1});
    CHECK(shape_of("ReduceMax<axes = [-2], keepdims = 0>") == shape{3});
}
