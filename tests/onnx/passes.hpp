// For the tests of passes: models after some of them, and what these did and offer.
#pragma once
#include "models.hpp"
#include "passes/passes.hpp"

namespace inlay::testing {
struct named_weights {
    std::string name;
    std::vector<std::int64_t> dims;
    std::vector<float> values;
};
inline void constant(onnx::ModelProto& p, const named_weights& c) {
    auto t = weights(c.name, {}, c.values);
    for (std::int64_t d : c.dims) t.add_dims(d);
    *p.mutable_graph()->add_initializer() = t;
}
inline void constant(onnx::ModelProto& p, const std::string& name, std::initializer_list<std::int64_t> dims,
                     const std::vector<float>& values) {
    constant(p, {name, dims, values});
}

inline model_options only(const std::vector<std::string>& names) {  // these passes and no others
    model_options o;
    for (const pass& p : all_passes())
        if (std::find(names.begin(), names.end(), p.name) == names.end()) o.without.push_back(std::string(p.name));
    return o;
}
inline model after(const onnx::ModelProto& p, const std::vector<std::string>& names) { return loaded(p, only(names)); }
inline model after(const std::string& graph, const std::vector<std::string>& names,
                   const std::vector<named_weights>& constants = {}) {
    auto p = graph_of(graph);
    for (const named_weights& c : constants) constant(p, c);
    return after(p, names);
}
inline int rewrites(const model& m, std::string_view pass) {
    for (const pass_count& p : m.pass_log())
        if (p.name == pass) return p.rewrites;
    return -1;
}

inline std::string offers(const model& m) {  // "FusedMatMul(0 1)=Relu LayerNormalization(2 3 4)"
    const graph_view& g = m.view();
    std::string text;
    for (const node& n : g.fused) {
        text += (text.empty() ? "" : " ") + std::string(n.op) + "(";
        for (int s : g.list(n.sources)) text += (text.back() == '(' ? "" : " ") + std::to_string(s);
        text += ")";
        if (const node_view v{g, n}; v.has("activation")) text += "=" + std::string(v.text("activation", ""));
    }
    return text;
}
inline std::string inputs_of(const model& m, std::size_t k = 0) {  // of an offer, by name
    const graph_view& g = m.view();
    std::string text;
    for (int v : g.list(g.fused[k].inputs))
        text += (text.empty() ? "" : " ") + (v < 0 ? std::string("-") : std::string(g.values[std::size_t(v)].name));
    return text;
}
inline node_view offer(const model& m, std::size_t k = 0) { return {m.view(), m.view().fused[k]}; }

// A Conv of x, with constant weights and bias, and what follows.
inline onnx::ModelProto conv_then(const std::string& rest, const std::string& inputs = "",
                                  const std::string& outputs = "float[?,?,?,?] y") {
    auto p = graph_of("(float[N,2,5,5] x" + inputs + ") => (" + outputs +
                      ") { a = Conv<kernel_shape = [3, 3]>(x, w, b) " + rest + " }");
    std::vector<float> w(3 * 2 * 9);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = float(i) - 20;
    constant(p, "w", {3, 2, 3, 3}, w);
    constant(p, "b", {3}, {1, 2, 3});
    return p;
}
inline tensor_view constant_input(const model& m, int node, int k) {
    const graph_view& g = m.view();
    const node_view n{g, g.nodes[std::size_t(node)]};
    REQUIRE(n.is_constant(k));
    return tensor_view(m.graph().constants.at(std::size_t(n.input(k).constant)).get());
}

inline const std::vector<named_weights> numbers{{"half", {}, {.5f}},
                                                {"one", {}, {1}},
                                                {"two", {}, {2}},
                                                {"three", {}, {3}},
                                                {"five", {1}, {5}},
                                                {"root2", {}, {1.41421354f}},
                                                {"inverse", {}, {.707106769f}},
                                                {"c1", {}, {.044715f}},
                                                {"c2", {}, {.797884583f}},
                                                {"eps", {}, {1e-5f}},
                                                {"scale", {4}, {1, 2, 3, 4}},
                                                {"shift", {4}, {5, 6, 7, 8}}};
}  // namespace inlay::testing
