// What a loaded model reports about its graph.
#include "models.hpp"
#include <inlay/provider/reference.hpp>
#include <inlay/session.hpp>

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A model reports its ports, versions and metadata", "[loader]") {
    auto p = proto_of(
        R"(<ir_version: 9, opset_import: ["" : 17, "ai.onnx.ml" : 3], producer_name: "tests", producer_version: "1.2", domain: "d", model_version: 7, doc_string: "doc">
        net (float[N,4] x, seq(int64[M]) s, int64[2,?] k) => (float[N,4] y, seq(int64[M]) t, int64[2,?] l) { y = Relu(x) t = Identity(s) l = Identity(k) })");
    auto& entry = *p.add_metadata_props();
    entry.set_key("author");
    entry.set_value("nobody");
    const model m = loaded(p);
    CHECK(m.ir_version() == 9);
    CHECK(m.producer_name() == "tests");
    CHECK(m.producer_version() == "1.2");
    CHECK(m.domain() == "d");
    CHECK(m.model_version() == 7);
    CHECK(m.doc_string() == "doc");
    CHECK(m.graph_name() == "net");
    CHECK(m.metadata().at("author") == "nobody");
    REQUIRE(m.opsets().size() == 2);
    CHECK(m.opsets()[1].domain == "ai.onnx.ml");
    CHECK(m.opsets()[0].version == 17);
    REQUIRE(m.inputs().size() == 3);
    const port& x = m.inputs()[0];
    CHECK(x.name == "x");
    CHECK(x.type == element::f32);
    CHECK(x.type_text == "tensor(float)");
    CHECK(x.shape[0] < 0);
    CHECK(x.shape[1] == 4);
    CHECK(x.dim_names == std::vector<std::string>{"N", ""});
    CHECK(m.inputs()[1].kind == value_kind::sequence);
    CHECK(m.inputs()[1].type == element::object);
    CHECK(m.inputs()[1].type_text == "seq(tensor(int64))");
    CHECK(m.inputs()[2].dim_names == std::vector<std::string>{"", ""});
    REQUIRE(m.outputs().size() == 3);
    CHECK(m.outputs()[0].dim_names == std::vector<std::string>{"N", ""});
    CHECK(m.outputs()[2].dim_names == std::vector<std::string>{"", ""});
    CHECK(m.pass_log().empty());
}

TEST_CASE("A port reports what its sequences, maps and optionals hold", "[loader]") {
    const model m = loaded(proto_of(
        R"(<ir_version: 9, opset_import: ["" : 17]> g (optional(seq(float[N,4])) o, map(string, int64[2]) d, float[N] x) => (float[N] y) { y = Relu(x) })"));
    const value_type o = m.inputs()[0].value_type, d = m.inputs()[1].value_type, x = m.inputs()[2].value_type;
    CHECK(to_string(o) == "optional(seq(tensor(float)))");
    CHECK(m.inputs()[0].type_text == to_string(o));
    CHECK(m.inputs()[0].kind == value_kind::optional);
    CHECK(o.contents().kind() == value_kind::sequence);
    CHECK(o.type == element::f32);
    REQUIRE(o.shape.rank == 2);
    CHECK(m.view().symbols[std::size_t(-2 - o.shape[0])] == "N");
    CHECK(o.shape[0] == m.inputs()[2].shape[0]);
    CHECK(o.shape[1] == 4);
    CHECK(to_string(d) == "map(string,tensor(int64))");
    CHECK(d.containers[0].key == element::string);
    CHECK(d.shape == shape{2});
    CHECK(x.is_tensor());
    CHECK(x.type == element::f32);
    CHECK(m.view().type_of(m.view().inputs[1]).kind() == value_kind::map);
}

TEST_CASE("More than four containers within each other are not supported", "[loader]") {
    const auto nested = [](int depth) {
        std::string type = "float[2]";
        while (depth-- > 0) type = "seq(" + type + ")";
        return graph_of("(" + type + " s, float[2] x) => (float[2] y) { y = Relu(x) }");
    };
    CHECK(loaded(nested(4)).inputs()[0].type_text == "seq(seq(seq(seq(tensor(float)))))");
    const error e = refused(nested(5));
    CHECK(e.code == error_code::unsupported_model);
    CHECK(contains(e.text, "the value `s` has more than 4 sequences, maps and optionals within each other"));
}

TEST_CASE("Nodes carry the version of their operator's schema, values their inferred type and shape", "[loader]") {
    const model m =
        loaded(graph_of("(float[N,8] x, int64[1] k) => (float[N,8] y) { a = Relu(x) b = Shape(a) c = Cast<to = 1>(b) "
                        "[top] d, e = TopK(c, k) y = Softmax<axis = 1>(a) }"));
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu Shape Cast TopK Softmax");
    CHECK(g.nodes[0].version == 14);
    CHECK(g.nodes[0].name == "Relu_0");
    CHECK(g.nodes[3].name == "top");
    CHECK(g.nodes[3].version == 11);
    CHECK(g.nodes[4].version == 13);
    CHECK(node_view{g, g.nodes[4]}.integer("axis", 0) == 1);
    CHECK(g.values[find_value(g, "b")].type == element::i64);
    CHECK(g.values[find_value(g, "b")].dims == shape{2});
    CHECK(g.values[find_value(g, "d")].type == element::f32);
    CHECK(g.values[find_value(g, "e")].type == element::i64);
    const shape& a = g.values[find_value(g, "a")].dims;
    REQUIRE(a.rank == 2);
    REQUIRE(a[0] < -1);
    CHECK(g.symbols[std::size_t(-2 - a[0])] == "N");
}

TEST_CASE("The same operator has the version of the model's opset", "[loader]") {
    const auto version = [](int opset) {
        const model m = loaded(proto_of("<ir_version: 7, opset_import: [\"ai.onnx\" : " + std::to_string(opset) +
                                        "]> g (float[4] x) => (float[4] y) { y = Relu(x) }"));
        CHECK(m.opsets()[0].domain == "");
        return m.view().nodes[0].version;
    };
    CHECK(version(7) == 6);
    CHECK(version(12) == 6);
    CHECK(version(13) == 13);
    CHECK(version(24) == 14);
}

TEST_CASE("Operators of other domains stay, with the version of their import", "[loader]") {
    const model m = loaded(proto_of(
        R"(<ir_version: 8, opset_import: ["" : 17, "acme" : 3]> g (float[4] x) => (float[4] y) { a = acme.Magic<strength = 2.5>(x) y = Relu(a) })"));
    const graph_view& g = m.view();
    CHECK(g.nodes[0].domain == "acme");
    CHECK(g.nodes[0].version == 3);
    CHECK(node_view{g, g.nodes[0]}.real("strength", 0) == 2.5);
    CHECK(g.values[find_value(g, "a")].type == element::undefined);
    CHECK(m.outputs()[0].type_text == "tensor(float)");
}

TEST_CASE("Absent inputs and outputs are -1, and trailing ones are gone", "[loader]") {
    auto p = graph_of(
        "(float[1,2,3] x, float[1,4,3] w, float[1,4,1] r) => (float[?,?,?] h) { a, h = RNN<hidden_size = 4>(x, w, r) "
        "}");
    auto& n = *p.mutable_graph()->mutable_node(0);
    n.set_output(0, "");
    for (const char* name : {"", "", ""}) n.add_input(name);
    n.set_input(4, "x");  // no real sequence lengths, only a name
    *n.mutable_input(4) = "";
    const model m = loaded(p);
    const graph_view& g = m.view();
    CHECK(node_view{g, g.nodes[0]}.input_count() == 3);
    CHECK(node_view{g, g.nodes[0]}.output_id(0) == -1);
    CHECK(node_view{g, g.nodes[0]}.output_count() == 2);
}

TEST_CASE("Attributes of every kind arrive", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
    p.add_opset_import()->set_domain("acme");
    p.mutable_opset_import(1)->set_version(1);
    auto& n = *p.mutable_graph()->add_node();
    n.set_op_type("Op");
    n.set_domain("acme");
    n.add_output("z");
    const auto add = [&](const char* name, onnx::AttributeProto::AttributeType type) -> onnx::AttributeProto& {
        auto& a = *n.add_attribute();
        a.set_name(name);
        a.set_type(type);
        return a;
    };
    add("i", onnx::AttributeProto::INT).set_i(-5);
    add("f", onnx::AttributeProto::FLOAT).set_f(.5f);
    add("s", onnx::AttributeProto::STRING).set_s(std::string("a\0b", 3));
    auto& ints = add("is", onnx::AttributeProto::INTS);
    ints.add_ints(1);
    ints.add_ints(2);
    add("fs", onnx::AttributeProto::FLOATS).add_floats(.25f);
    add("ss", onnx::AttributeProto::STRINGS).add_strings("x");
    add("none", onnx::AttributeProto::INTS);
    *add("t", onnx::AttributeProto::TENSOR).mutable_t() = weights("", {2}, {3, 4});
    const model m = loaded(p);
    const node_view v{m.view(), m.view().nodes[1]};
    CHECK(v.integer("i", 0) == -5);
    CHECK(v.real("f", 0) == .5);
    CHECK(v.text("s", "") == std::string_view("a\0b", 3));
    REQUIRE(v.integers("is").size() == 2);
    CHECK(v.integers("is")[1] == 2);
    CHECK(v.reals("fs")[0] == .25);
    CHECK(v.texts("ss")[0] == "x");
    CHECK(v.has("none"));
    CHECK(v.integers("none").empty());
    REQUIRE(v.tensor("t"));
    CHECK(tensor_view(m.graph().constants[std::size_t(v.tensor("t")->constant)].get()).as<float>()[1] == 4);
}

TEST_CASE("RMSNormalization has the type of its scale, as its schema has it", "[loader]") {
    const model m = loaded(proto_of("<ir_version: 10, opset_import: [\"\" : 23]> g (float16[2,2] x, float[2] scale) => "
                                    "(float[2,2] y) { y = RMSNormalization <epsilon = 0.0> (x, scale) }"),
                           model_options{});
    CHECK(m.outputs()[0].type == element::f32);
    const float16 unit(1.f), seven(7.f);
    const session s{m, reference{}};
    const auto r = s.run({{"x", tensor({2, 2}, {unit, unit, unit, seven})}, {"scale", tensor({2}, {1.f, 10.f})}});
    CHECK(elements<float>(r[0])[1] == Approx(10));
    CHECK(elements<float>(r[0])[3] == Approx(14));
}
