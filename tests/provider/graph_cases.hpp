// Operators that engines may take, one case after another, over graphs made by hand.
#pragma once
#include "engines.hpp"

namespace inlay::testing {
namespace graph_cases {
struct graph_case {
    std::string_view op;
    shape x;
    graph_function* graph;
};
inline const std::vector<graph_case> convolutions{
    {"Conv",
     {2, 3, 8, 7},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 3, 3, 2}), g.numbers({4})},
                       {g.list("pads", {1, 0, 2, 1}), g.list("strides", {2, 1})});
     }},
    {"Conv",
     {1, 3, 8, 8},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 3, 3, 3})}, {g.list("dilations", {2, 2})});
     }},
    {"Conv",
     {1, 3, 9, 8},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 3, 3, 3})},
                       {g.with("auto_pad", std::string_view("SAME_UPPER")), g.list("strides", {2, 2})});
     }},
    {"Conv",
     {1, 3, 8, 8},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 3, 1, 1})}, {g.list("strides", {3, 2})});
     }},
    {"Conv",
     {1, 8, 12, 12},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({8, 8, 3, 3}), g.numbers({8})}, {g.list("pads", {1, 1, 1, 1})});
     }},
    {"Conv",
     {2, 4, 6, 5},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 1, 3, 3}), g.numbers({4})},
                       {g.with("group", std::int64_t(4)), g.list("pads", {1, 1, 1, 1})});
     }},
    {"Conv",
     {1, 4, 9, 9},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 1, 5, 5})},
                       {g.with("group", std::int64_t(4)), g.list("pads", {2, 2, 2, 2}), g.list("strides", {2, 2})});
     }},
    {"Conv",
     {1, 2, 6, 5},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 1, 3, 3})}, {g.with("group", std::int64_t(2))});
     }},
};
inline const std::vector<graph_case> products{
    {"Gemm",
     {3, 4},
     [](graph_maker& g, int x) {
         return g.node("Gemm", {x, g.numbers({5, 4}), g.numbers({5})},
                       {g.with("transB", std::int64_t(1)), g.with("alpha", .5), g.with("beta", 2.)});
     }},
    {"Gemm",
     {1, 4},
     [](graph_maker& g, int x) {
         return g.node("Gemm", {x, g.numbers({4, 2}), g.floats({}, {1})});
     }},
    {"MatMul",
     {2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("MatMul", {x, g.numbers({4, 2})});
     }},
};
inline const std::vector<graph_case> pools{
    {"MaxPool",
     {1, 2, 7, 8},
     [](graph_maker& g, int x) {
         return g.node("MaxPool", {x},
                       {g.list("kernel_shape", {3, 3}), g.list("strides", {2, 2}), g.list("pads", {1, 1, 1, 1})});
     }},
    {"MaxPool",
     {1, 2, 8, 8},
     [](graph_maker& g, int x) {
         return g.node(
             "MaxPool", {x},
             {g.list("kernel_shape", {3, 3}), g.list("strides", {2, 2}), g.with("ceil_mode", std::int64_t(1))});
     }},
    {"MaxPool",
     {1, 2, 8, 8},
     [](graph_maker& g, int x) {
         return g.node("MaxPool", {x}, {g.list("kernel_shape", {2, 2}), g.list("strides", {2, 2})});
     }},
    {"AveragePool",
     {1, 2, 7, 8},
     [](graph_maker& g, int x) {
         return g.node("AveragePool", {x}, {g.list("kernel_shape", {3, 2}), g.list("pads", {1, 0, 1, 1})});
     }},
    {"AveragePool",
     {1, 2, 7, 8},
     [](graph_maker& g, int x) {
         return g.node("AveragePool", {x},
                       {g.list("kernel_shape", {3, 2}), g.list("pads", {1, 0, 1, 1}),
                        g.with("count_include_pad", std::int64_t(1))});
     }},
    {"GlobalAveragePool", {2, 3, 5, 4}, [](graph_maker& g, int x) { return g.node("GlobalAveragePool", {x}); }},
    {"GlobalMaxPool", {2, 3, 5, 4}, [](graph_maker& g, int x) { return g.node("GlobalMaxPool", {x}); }},
};
inline const std::vector<graph_case> element_wise{
    {"Relu", {5}, [](graph_maker& g, int x) { return g.node("Relu", {x}); }},
    {"Sigmoid", {2, 5}, [](graph_maker& g, int x) { return g.node("Sigmoid", {x}); }},
    {"Tanh", {2, 5}, [](graph_maker& g, int x) { return g.node("Tanh", {x}); }},
    {"LeakyRelu", {2, 5}, [](graph_maker& g, int x) { return g.node("LeakyRelu", {x}, {g.with("alpha", .2)}); }},
    {"Elu", {2, 5}, [](graph_maker& g, int x) { return g.node("Elu", {x}, {g.with("alpha", 2.)}); }},
    {"HardSwish", {2, 9}, [](graph_maker& g, int x) { return g.node("HardSwish", {x}, {}, 14); }},
    {"HardSigmoid", {2, 9}, [](graph_maker& g, int x) { return g.node("HardSigmoid", {x}, {g.with("alpha", .4)}); }},
    {"Abs", {2, 9}, [](graph_maker& g, int x) { return g.node("Abs", {x}); }},
    {"Clip",
     {2, 9},
     [](graph_maker& g, int x) {
         return g.node("Clip", {x, g.floats({}, {-1}), g.floats({}, {.5})});
     }},
    {"Clip", {2, 9}, [](graph_maker& g, int x) { return g.node("Clip", {x}, {g.with("max", .5)}, 6); }},
    {"Add",
     {2, 1, 3},
     [](graph_maker& g, int x) {
         return g.node("Add", {x, g.floats({4, 1}, {1, 2, 3, 4})});
     }},
    {"Add",
     {1, 3, 2, 5},
     [](graph_maker& g, int x) {
         return g.node("Add", {x, g.floats({3, 1, 1}, {1, 2, 3})});
     }},
    {"Sub",
     {3},
     [](graph_maker& g, int x) {
         return g.node("Sub", {g.floats({2, 1}, {1, 2}), x});
     }},
    {"Mul",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Mul", {x, g.floats({}, {3})});
     }},
    {"Mul",
     {1, 3, 4, 5},
     [](graph_maker& g, int x) {
         return g.node("Mul", {x, g.floats({1, 3, 1, 1}, {.5f, -1, 2})});
     }},
    {"Div",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Div", {x, g.floats({3}, {3, -2, .5f})});
     }},
    {"Max",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Max", {x, g.floats({3}, {0, .5f, -1}), g.floats({2, 1}, {-.5f, 0})});
     }},
    {"Min",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Min", {x, g.floats({3}, {0, .5f, -1})});
     }},
    {"Sum",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Sum", {x, g.floats({3}, {0, .5f, -1}), x});
     }},
};
inline const std::vector<graph_case> others{
    {"Softmax", {2, 3, 4}, [](graph_maker& g, int x) { return g.node("Softmax", {x}); }},
    {"Softmax", {2, 3, 4}, [](graph_maker& g, int x) { return g.node("Softmax", {x}, {}, 11); }},
    {"BatchNormalization",
     {2, 3, 4, 5},
     [](graph_maker& g, int x) {
         return g.node("BatchNormalization", {x, g.floats({3}, {1, 2, 3}), g.floats({3}, {.5f, 0, 1}),
                                              g.floats({3}, {0, 1, 2}), g.floats({3}, {1, 2, .5f})});
     }},
    {"BatchNormalization",
     {2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("BatchNormalization", {x, g.floats({3}, {1, 2, 3}), g.floats({3}, {.5f, 0, 1}),
                                              g.floats({3}, {0, 1, 2}), g.floats({3}, {1, 2, .5f})});
     }},
    {"LRN",
     {1, 6, 3, 2},
     [](graph_maker& g, int x) {
         return g.node("LRN", {x},
                       {g.with("size", std::int64_t(3)), g.with("alpha", .3), g.with("beta", .6), g.with("bias", 2.)});
     }},
    {"Reshape",
     {2, 6},
     [](graph_maker& g, int x) {
         return g.node("Reshape", {x, g.integers({3, -1})});
     }},
    {"Flatten",
     {2, 3, 2},
     [](graph_maker& g, int x) { return g.node("Flatten", {x}, {g.with("axis", std::int64_t(2))}); }},
    {"Squeeze",
     {2, 1, 2},
     [](graph_maker& g, int x) {
         return g.node("Squeeze", {x, g.integers({1})});
     }},
    {"Unsqueeze",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Unsqueeze", {x, g.integers({0, 3})});
     }},
    {"Transpose",
     {2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("Transpose", {x}, {g.list("perm", {2, 0, 1})});
     }},
    {"Transpose",
     {2, 3, 4, 5},
     [](graph_maker& g, int x) {
         return g.node("Transpose", {x}, {g.list("perm", {0, 2, 3, 1})});
     }},
    {"Concat",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Concat", {x, g.floats({2, 1}, {7, 8}), x}, {g.with("axis", std::int64_t(-1))});
     }},
    {"Concat",
     {1, 3, 4, 5},
     [](graph_maker& g, int x) {
         return g.node("Concat", {x, g.node("Relu", {x})}, {g.with("axis", std::int64_t(1))});
     }},
    {"Identity", {2, 3}, [](graph_maker& g, int x) { return g.node("Identity", {x}); }},
};
}  // namespace graph_cases
// All results are those of the plain loops, and the engine has all nodes but these.
template <provider P>
void check_graphs(const P& p, const std::vector<graph_cases::graph_case>& cases,
                  const std::vector<left_operator>& left = {}) {
    operator_check<P> check(p, left);
    for (const graph_cases::graph_case& c : cases) {
        INFO(c.op << " of " << to_string(c.x) << ", case " << &c - cases.data());
        check.add(model_of(c.x, c.graph), c.op, c.x);
    }
    check.end();
}
}  // namespace inlay::testing
