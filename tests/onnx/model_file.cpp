#include "models.hpp"
#include <inlay/model_file.hpp>

using namespace inlay;
using namespace inlay::testing;

// The model as a message, after it was loaded with its passes and written; which Inlay loads again.
static onnx::ModelProto written(const onnx::ModelProto& p) {
    const scratch_folder folder;
    const auto file = folder.write("model.onnx", p.SerializeAsString());
    const std::string bytes = model_file(model(file), file);
    onnx::ModelProto m;
    REQUIRE(m.ParseFromString(bytes));
    const model again = loaded(m);
    REQUIRE(again.outputs().size() == std::size_t(p.graph().output_size()));
    return m;
}
static std::string text_of(const onnx::GraphProto& g) {
    std::string text;
    for (const auto& n : g.node()) {
        for (const auto& y : n.output()) text += y + " ";
        text += "= " + n.op_type() + "(";
        for (const auto& x : n.input()) text += (text.back() == '(' ? "" : ", ") + x;
        text += "); ";
    }
    return text;
}

TEST_CASE("A written model has the nodes that the passes left, its own inputs, outputs and metadata", "[model_file]") {
    auto p = graph_of("(float[N,2] x) => (float[N,2] y) { a = Identity(x) b = Relu(a) y = Identity(b) }");
    auto* e = p.add_metadata_props();
    e->set_key("license");
    e->set_value("none");
    const auto m = written(p);
    CHECK(text_of(m.graph()) == "y = Relu(x); ");
    CHECK(m.graph().input(0).type().tensor_type().shape().dim(0).dim_param() == "N");
    CHECK(m.metadata_props(0).value() == "none");
    CHECK(m.opset_import(0).version() == 17);
}

TEST_CASE("Bodies read captures by the names outside, and share constants with them", "[model_file]") {
    auto p = graph_of(R"((float[2] x, bool c) => (float[2] y) { a = Relu(x) b = Add(a, w)
        y = If(c) <then_branch = t () => (float[2] r) { r = Mul(b, w) }, else_branch = e () => (float[2] q) { q = Sub(w, b) }> })");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    const auto m = written(p);
    REQUIRE(m.graph().initializer_size() == 1);
    CHECK(text_of(m.graph()) == "a = Relu(x); b = Add(a, w); y = If(c); ");
    CHECK(text_of(m.graph().node(2).attribute(0).g()) == "r = Mul(b, w); ");
    CHECK(text_of(m.graph().node(2).attribute(1).g()) == "q = Sub(w, b); ");
}

TEST_CASE("What a body hands out and does not make gets an Identity", "[model_file]") {
    auto p = graph_of(R"((float[2] x, bool c) => (float[2] y) { a = Relu(x)
        y = If(c) <then_branch = t () => (float[2] r) { r = Identity(a) }, else_branch = e () => (float[2] q) { q = Identity(w) }> })");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    const auto m = written(p);
    for (const auto& a : m.graph().node(1).attribute()) {
        REQUIRE(a.g().node_size() == 1);
        CHECK(a.g().node(0).op_type() == "Identity");
        CHECK(a.g().node(0).output(0) == a.g().output(0).name());
        CHECK(a.g().node(0).input(0) == (a.name() == "then_branch" ? "a" : "w"));
    }
}

TEST_CASE("Quantised weights are written as they were read, not as the floats that the CPU multiplies",
          "[model_file]") {
    const auto m = written(graph_of(R"((float[2,2] x) => (float[2,2] y) <int8[2,2] w = {1, 2, 3, 4}, float s = {0.5}>
        { f = DequantizeLinear(w, s) t = Transpose(f) y = MatMul(x, t) })"));
    CHECK(text_of(m.graph()) == "f = DequantizeLinear(w, s); t = Transpose(f); y = MatMul(x, t); ");
    REQUIRE(m.graph().initializer_size() == 2);
    CHECK(m.graph().initializer(0).data_type() == ::onnx::TensorProto::INT8);
}

TEST_CASE("Types that nodes hold, and those of sequences in bodies, are written", "[model_file]") {
    const auto p = graph_of("(float[2] x) => (bool y) { o = Optional(x) y = OptionalHasElement(o) }");
    CHECK_NOTHROW(written(p));  // this one gets it from its input
    auto typed = p;
    auto* a = typed.mutable_graph()->mutable_node(0)->add_attribute();
    typed.mutable_graph()->mutable_node(0)->clear_input();
    a->set_name("type");
    a->set_type(onnx::AttributeProto::TYPE_PROTO);
    auto* list = a->mutable_tp()->mutable_sequence_type()->mutable_elem_type();
    list->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    const auto again = written(typed).graph().node(0);
    REQUIRE(again.attribute_size() == 1);
    CHECK(again.attribute(0).tp().sequence_type().elem_type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);

    const auto loop = written(graph_of(
        "(seq(float[2,N]) s, int64 n, bool c) => (seq(float[2,N]) y) { y = Loop(n, c, s) <body = b (int64 i, bool ci, "
        "seq(float[2,N]) v) => (bool co, seq(float[2,N]) w) { co = Identity(ci) w = SequenceErase(v) }> }"));
    const auto& body = loop.graph().node(0).attribute(0).g();
    for (const auto& v : {body.input(2), body.output(1)}) {
        const auto& element_type = v.type().sequence_type().elem_type().tensor_type();
        CHECK(element_type.elem_type() == onnx::TensorProto::FLOAT);
        REQUIRE(element_type.shape().dim_size() == 2);
        CHECK(element_type.shape().dim(0).dim_value() == 2);
        CHECK_FALSE(element_type.shape().dim(1).has_dim_value());
    }
}

TEST_CASE("What stands for an operator of com.microsoft is written where the model's opset has it", "[model_file]") {
    const auto p = [](int opset) {
        return proto_of("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                        ", \"com.microsoft\" : 1]> g (float[2,2] x) => (float[2,2] y) { y = com.microsoft.Trilu(x) }");
    };
    CHECK(text_of(written(p(14)).graph()) == "y = Trilu(x); ");
    const scratch_folder folder;
    const auto file = folder.write("model.onnx", p(13).SerializeAsString());
    const auto r = [&]() -> std::string {
        try {
            model_file(model(file), file);
        } catch (const error& e) {
            return e.text;
        }
        return "";
    }();
    CHECK(contains(r, "is of opset 14, and the model imports opset 13"));
}
