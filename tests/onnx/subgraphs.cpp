#include "models.hpp"

using namespace inlay;
using namespace inlay::testing;

static std::string names(const graph_view& g, std::span<const int> ids) {
    std::string text;
    for (int v : ids) text += (text.empty() ? "" : " ") + std::string(v < 0 ? "-" : g.values[std::size_t(v)].name);
    return text;
}

TEST_CASE("The inputs of subgraphs are the formal ones, then every capture of their node", "[subgraphs]") {
    const model m = loaded(graph_of(R"((float[2] x, float[2] z, bool c) => (float[2] y) { a = Relu(x)
        y = If(c) <then_branch = t () => (float[2] r) { s = Add(a, z) r = Add(s, a) }, else_branch = e () => (float[2] q) { q = Sub(z, x) }> })"));
    const graph_view& g = m.view();
    REQUIRE(g.nodes.size() == 2);
    CHECK(names(g, g.list(g.nodes[1].captures)) == "a z x");
    REQUIRE(g.subgraphs.size() == 2);
    for (const graph_view& s : g.subgraphs) {
        CHECK(names(s, s.inputs) == "a z x");
        CHECK(s.values[std::size_t(s.inputs[0])].type == element::f32);
        CHECK(s.values[std::size_t(s.inputs[0])].dims == shape{2});
    }
    CHECK(node_view{g.subgraphs[1], g.subgraphs[1].nodes[0]}.input(0).name == "z");
}

TEST_CASE("Captured constants are constants of the subgraph", "[subgraphs]") {
    auto p = graph_of(
        "(float[2] x, bool c) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] r) { r = Add(x, w) }, "
        "else_branch = e () => (float[2] q) { q = Neg(x) }> }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    const model m = loaded(p);
    const graph_view& g = m.view();
    CHECK(names(g, g.list(g.nodes[0].captures)) == "x");
    const graph_data& then = m.graph().subgraphs[0];
    const value& w = then.values[std::size_t(find_value(g.subgraphs[0], "w"))];
    REQUIRE(w.is_constant());
    CHECK(then.constants.at(std::size_t(w.constant)).identity() ==
          m.graph().constants.at(std::size_t(g.values[find_value(g, "w")].constant)).identity());
}

TEST_CASE("A Loop's body knows its types from the node", "[subgraphs]") {
    auto p = graph_of(R"((float[N] x, int64 n, bool c, float[N] bias) => (float[N] y, float[K,N] all) {
        y, all = Loop(n, c, x) <body = b (int64 i, bool ci, float[N] s) => (bool co, float[N] t, float[N] u) { co = Identity(ci) t = Add(s, bias) u = Neg(t) }> })");
    for (auto& v : *p.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_input())
        v.clear_type();
    for (auto& v : *p.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_output())
        v.clear_type();
    const model m = loaded(p);
    const graph_view& g = m.view();
    const graph_view& body = g.subgraphs[0];
    CHECK(names(body, body.inputs) == "i ci s bias");
    CHECK(names(body, body.outputs) == "co t u");
    CHECK(body.values[std::size_t(body.inputs[0])].type == element::i64);
    CHECK(body.values[std::size_t(body.inputs[1])].type == element::boolean);
    CHECK(body.values[std::size_t(body.inputs[2])].type == element::f32);
    CHECK(g.values[find_value(g, "all")].type == element::f32);
    CHECK(node_view{g, g.nodes[0]}.find("body")->kind == attribute_kind::graph);
}

TEST_CASE("A capture goes through every graph between", "[subgraphs]") {
    const model m = loaded(graph_of(R"((float[N,2] x, bool c) => (float[N,2] y) {
        y = If(c) <then_branch = t () => (float[N,2] r) { r = If(c) <then_branch = t2 () => (float[N,2] r2) { r2 = Relu(x) }, else_branch = e2 () => (float[N,2] q2) { q2 = Neg(x) }> }, else_branch = e () => (float[N,2] q) { q = Neg(x) }> })"));
    const graph_view& g = m.view();
    CHECK(names(g, g.list(g.nodes[0].captures)) == "c x");
    const graph_view& t = g.subgraphs[0];
    CHECK(names(t, t.inputs) == "c x");
    CHECK(names(t, t.list(t.nodes[0].captures)) == "x");
    const graph_view& t2 = t.subgraphs[0];
    CHECK(names(t2, t2.inputs) == "x");
    const shape& dims = t2.values[std::size_t(t2.inputs[0])].dims;
    REQUIRE(dims.rank == 2);
    CHECK(t2.symbols[std::size_t(-2 - dims[0])] == "N");
}

TEST_CASE("A subgraph's outputs may be outer values", "[subgraphs]") {
    auto p = graph_of(
        "(float[2] x, bool c) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] r) { r = Relu(x) }, "
        "else_branch = e () => (float[2] q) { q = Neg(x) }> }");
    auto& branch = *p.mutable_graph()->mutable_node(0)->mutable_attribute(1)->mutable_g();
    branch.clear_node();
    branch.mutable_output(0)->set_name("x");
    auto r = load(p, plain());  // ONNX requires outputs to be computed inside; either answer is an answer
    if (r)
        CHECK(r->view().subgraphs[1].outputs[0] == r->view().subgraphs[1].inputs[0]);
    else
        CHECK(r.why().code == error_code::invalid_model);
}

TEST_CASE("A subgraph cannot read what its own node makes", "[subgraphs]") {
    CHECK(refused(graph_of("(float[2] x, bool c) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] r) { r = "
                           "Relu(a) }, else_branch = e () => (float[2] q) { q = Neg(x) }> a = Relu(y) }"))
              .code == error_code::invalid_model);
}
