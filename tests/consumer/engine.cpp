// engine: runs a graph that it makes itself, without model files.
#include <inlay/inlay.hpp>
#include <array>

int main() {
    inlay::graph_data g;
    const std::array x{g.add_value("x", inlay::element::f32, {3})}, y{g.add_value("y", inlay::element::f32, {3})};
    g.add_node("", "Relu", 14, "relu", {}, x, y);
    g.inputs = {x[0]};
    g.outputs = {y[0]};
    const inlay::session session{inlay::model::from_graph(std::move(g)), inlay::cpu{}};
    const inlay::tensor in({3}, {-1.f, 0.f, 2.f}), out = session.run({{"x", in}}).at("y");
    const std::span<const float> values = out.as<float>();
    return values[0] == 0 && values[1] == 0 && values[2] == 2 ? 0 : 1;
}
