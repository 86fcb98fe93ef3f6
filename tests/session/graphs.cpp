// Sessions over graphs that are made in memory, and over providers that are known at run time only.
#include "../models.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
// y = Relu(x) + b
graph_data relu_and_add() {
    graph_data g;
    const int x = g.add_value("x", element::f32, {2}), r = g.add_value("r", element::f32, {2}),
              y = g.add_value("y", element::f32, {2});
    const int b = g.add_constant("b", tensor({2}, std::vector<float>{10, 20}));
    g.inputs = {x};
    g.outputs = {y};
    g.add_node("", "Relu", 14, "relu", {}, std::vector{x}, std::vector{r});
    g.add_node("", "Add", 14, "add", {}, std::vector{r, b}, std::vector{y});
    return g;
}
}  // namespace

TEST_CASE("A model can be made of a graph in memory", "[session][graphs]") {
    const model m = model::from_graph(relu_and_add());
    REQUIRE(m.inputs().size() == 1);
    CHECK(m.inputs()[0].name == "x");
    CHECK(m.inputs()[0].type_text == "tensor(float)");
    const inlay::session s{m, cpu{}};
    CHECK(floats(s.run({{"x", tensor({2}, std::vector<float>{-1, 2})}}).at("y")) == std::vector<float>{10, 22});
}
TEST_CASE("A session takes a list of handles in the order of priority", "[session][graphs]") {
    const model m = model::from_graph(relu_and_add());
    const handle_session s(m, {make_handle(reference{}), make_handle(cpu{})});
    CHECK(s.providers() == std::vector<std::string>{"ReferenceExecutionProvider", "CPUExecutionProvider"});
    CHECK(floats(s.run({{"x", tensor({2}, std::vector<float>{3, -4})}}).at("y")) == std::vector<float>{13, 20});
    CHECK(s.plan().count("ReferenceExecutionProvider") == 2);
}
TEST_CASE("A graph whose records contradict each other is refused with the reason", "[session][graphs]") {
    const auto refusal_of = [](auto spoil) {
        graph_data g = relu_and_add();
        spoil(g);
        const error e = raised([&] { model::from_graph(std::move(g)); });
        CHECK(e.code == error_code::invalid_model);
        return e.text;
    };
    CHECK(
        has_text(refusal_of([](graph_data& g) { std::swap(g.nodes[0], g.nodes[1]); }), "reads `r` before it is made"));
    CHECK(has_text(refusal_of([](graph_data& g) { g.edges[0] = 99; }), "`relu` with a value that it does not have"));
    CHECK(has_text(refusal_of([](graph_data& g) { g.nodes[1].outputs = g.nodes[0].outputs; }), "made twice"));
    CHECK(has_text(refusal_of([](graph_data& g) { g.outputs = {17}; }), "an output that nothing makes"));
    CHECK(has_text(refusal_of([](graph_data& g) { g.constants.clear(); }), "without a tensor"));
    CHECK(has_text(refusal_of([](graph_data& g) { g.nodes[0].inputs.count = 1000; }), "without its values"));
}
TEST_CASE("A graph of more nodes than the limits allow is refused", "[session][graphs]") {
    limits few;
    few.nodes = 1;
    CHECK(raised([&] { model::from_graph(relu_and_add(), few); }).code == error_code::limit_exceeded);
}
