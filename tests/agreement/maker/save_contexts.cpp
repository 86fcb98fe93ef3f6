// Writes a model file with what the tests' engine compiled: save_contexts FILE.onnx.
#include "../../session/test_providers.hpp"

int main(int, char** arguments) {
    using namespace inlay;
    graph_data g;
    const auto value = [&](std::string_view name) { return g.add_value(name, element::f32, {4}); };
    const auto node = [&](std::string_view op, int version, std::initializer_list<int> in, int out) {
        const int outputs[] = {out};
        g.add_node("", op, version, "", {}, std::span(in.begin(), in.size()), outputs);
    };
    const int x = value("x"), z = value("z"), w = g.add_constant("w", tensor({4}, {2.f, 2.f, 2.f, 3.f}));
    const int a = value("a"), b = value("b"), c = value("c"), d = value("d"), y = value("y");
    g.inputs = {x, z};
    g.outputs = {y, d};
    node("Add", 14, {x, w}, a);
    node("Relu", 14, {a}, b);
    node("Sub", 14, {b, z}, c);
    node("Mul", 14, {c, w}, d);
    node("Relu", 14, {d}, y);
    session{model::from_graph(std::move(g)), testing::loom{}, cpu{}}.save(arguments[1]);
}
