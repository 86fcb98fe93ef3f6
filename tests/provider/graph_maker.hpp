// Graphs made by hand, for tests that run where there is no onnx to read a model's text too.
#pragma once
#include <inlay/inlay.hpp>
#include <inlay/sdk/graph_data.hpp>
#include <cmath>

namespace inlay::testing {
class graph_maker {
    graph_data g_;

  public:
    int input(const shape& dims, element type = element::f32) {
        g_.inputs.push_back(g_.add_value("x", type, dims));
        return g_.inputs.back();
    }
    int constant(tensor t) { return g_.add_constant("c" + std::to_string(g_.values.size()), std::move(t)); }
    int floats(const shape& dims, const std::vector<float>& values) { return constant(tensor(dims, values)); }
    int integers(const std::vector<std::int64_t>& values) {
        return constant(tensor({std::int64_t(values.size())}, values));
    }
    int numbers(const shape& dims) {  // from -0.3 to 0.3
        std::vector<float> values(std::size_t(dims.elements()));
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = .1f * float(int(k % 7) - 3);
        return floats(dims, values);
    }
    int weights(const shape& dims) {  // as large as keeps the size of a convolution's results
        std::vector<float> values(std::size_t(dims.elements()));
        const float size = std::sqrt(6.f / float(dims.elements(1)));
        unsigned state = unsigned(g_.values.size()) * 977u + 1;
        for (float& w : values) w = size * (float((state = state * 1664525u + 1013904223u) >> 8) / float(1 << 23) - 1);
        return floats(dims, values);
    }
    attribute list(std::string_view name, const std::vector<std::int64_t>& x) {
        return g_.make(name, std::span<const std::int64_t>(x));
    }
    template <class T> attribute with(std::string_view name, T x) { return g_.make(name, x); }
    int node(std::string_view op, const std::vector<int>& inputs, const std::vector<attribute>& attributes = {},
             int version = 13, element type = element::f32) {
        return node_of(1, op, inputs, attributes, version, type)[0];
    }
    // The same with several results.
    std::vector<int> node_of(int results, std::string_view op, const std::vector<int>& inputs,
                             const std::vector<attribute>& attributes = {}, int version = 13,
                             element type = element::f32) {
        std::vector<int> out;
        for (int k = 0; k < results; ++k)
            out.push_back(g_.add_value("v" + std::to_string(g_.values.size()), type, shape::unknown()));
        g_.add_node("", op, version, std::string(op) + std::to_string(g_.nodes.size()), attributes, inputs, out);
        return out;
    }
    model done(const std::vector<int>& outputs) {
        g_.outputs = outputs;
        if (outputs.size() == 1) g_.values[std::size_t(outputs[0])].name = "y";
        return model::from_graph(std::move(g_));
    }
};
using graph_function = int(graph_maker&, int x);  // the value that is the result
inline model model_of(const shape& x, graph_function* graph, element type = element::f32) {
    graph_maker g;
    const int in = g.input(x, type);
    return g.done({graph(g, in)});
}
// Five nodes that every engine takes, for images of 3 channels; n: how many; -1: any number.
inline model network_of(std::int64_t n) {
    return model_of({n, 3, 8, 8}, [](graph_maker& g, int x) {
        const int c = g.node("Conv", {x, g.numbers({4, 3, 3, 3})}, {g.list("pads", {1, 1, 1, 1})}, 11);
        const int p = g.node("GlobalAveragePool", {g.node("Relu", {c})}, {}, 1);
        return g.node("Softmax", {g.node("Flatten", {p})});
    });
}
}  // namespace inlay::testing
