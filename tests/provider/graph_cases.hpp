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
inline const std::vector<graph_case> layers_and_movement{
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
inline const std::vector<graph_case> rarer{
    {"Conv",
     {1, 4, 6, 5},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 2, 3, 3}), g.numbers({4})},
                       {g.with("group", std::int64_t(2)), g.list("pads", {1, 1, 1, 1})});
     }},
    {"Conv",
     {1, 3, 17, 19},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.weights({8, 3, 7, 7}), g.numbers({8})},
                       {g.list("pads", {3, 3, 3, 3}), g.list("strides", {2, 2})});
     }},
    {"Conv",
     {1, 6, 11, 9},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.weights({5, 6, 5, 5})}, {g.list("pads", {2, 2, 2, 2})});
     }},
    {"Conv",
     {1, 4, 9, 9},
     [](graph_maker& g, int x) {
         return g.node("Conv", {x, g.numbers({4, 1, 3, 3})},
                       {g.with("group", std::int64_t(4)), g.list("pads", {2, 2, 2, 2}), g.list("dilations", {2, 2})});
     }},
    {"ConvTranspose",
     {1, 3, 4, 5},
     [](graph_maker& g, int x) {
         return g.node("ConvTranspose", {x, g.numbers({3, 4, 3, 2}), g.numbers({4})},
                       {g.list("strides", {2, 1}), g.list("pads", {1, 0, 0, 1})});
     }},
    {"ConvTranspose",
     {1, 2, 5, 5},
     [](graph_maker& g, int x) {
         return g.node("ConvTranspose", {x, g.numbers({2, 3, 2, 2})}, {g.list("strides", {2, 2})});
     }},
    {"AveragePool",
     {1, 2, 8, 8},
     [](graph_maker& g, int x) {
         return g.node("AveragePool", {x},
                       {g.list("kernel_shape", {3, 3}), g.list("strides", {2, 2}), g.list("pads", {1, 1, 0, 0}),
                        g.with("ceil_mode", std::int64_t(1)), g.with("count_include_pad", std::int64_t(1))});
     }},
    {"AveragePool",
     {1, 2, 7, 8},
     [](graph_maker& g, int x) {
         return g.node("AveragePool", {x},
                       {g.list("kernel_shape", {3, 3}), g.with("auto_pad", std::string_view("SAME_LOWER"))});
     }},
    {"ReduceMean",
     {2, 3, 5, 4},
     [](graph_maker& g, int x) {
         return g.node("ReduceMean", {x}, {g.list("axes", {-1, 1}), g.with("keepdims", std::int64_t(0))});
     }},
    {"ReduceMean",
     {1, 3, 5, 4},
     [](graph_maker& g, int x) {
         return g.node("ReduceMean", {x}, {g.list("axes", {2, 3})});
     }},
    {"ReduceMean",
     {2, 3},
     [](graph_maker& g, int x) { return g.node("ReduceMean", {x}, {g.with("keepdims", std::int64_t(0))}); }},
    {"Exp", {2, 9}, [](graph_maker& g, int x) { return g.node("Exp", {x}); }},
    {"Sqrt", {2, 9}, [](graph_maker& g, int x) { return g.node("Sqrt", {g.node("Abs", {x})}); }},
    {"Neg", {2, 9}, [](graph_maker& g, int x) { return g.node("Neg", {x}); }},
    {"Floor", {2, 9}, [](graph_maker& g, int x) { return g.node("Floor", {x}); }},
    {"PRelu",
     {1, 3, 2, 2},
     [](graph_maker& g, int x) {
         return g.node("PRelu", {x, g.floats({3, 1, 1}, {.1f, .2f, .3f})});
     }},
    {"Softmax",
     {2, 3, 4},
     [](graph_maker& g, int x) { return g.node("Softmax", {x}, {g.with("axis", std::int64_t(1))}); }},
    {"LogSoftmax", {2, 3, 4}, [](graph_maker& g, int x) { return g.node("LogSoftmax", {x}); }},
    {"InstanceNormalization",
     {2, 3, 4, 2},
     [](graph_maker& g, int x) {
         return g.node("InstanceNormalization", {x, g.floats({3}, {1, 2, 3}), g.floats({3}, {.5f, 0, 1})},
                       {g.with("epsilon", .01)});
     }},
    {"Transpose",
     {2, 3, 2, 2, 3},
     [](graph_maker& g, int x) {
         return g.node("Transpose", {x}, {g.list("perm", {3, 0, 4, 1, 2})});
     }},
    {"Split",
     {2, 6},
     [](graph_maker& g, int x) {
         const auto parts = g.node_of(2, "Split", {x, g.integers({2, 4})}, {g.with("axis", std::int64_t(1))});
         return g.node("Concat", {parts[1], parts[0]}, {g.with("axis", std::int64_t(1))});
     }},
    {"Split",
     {1, 6, 5, 7},
     [](graph_maker& g, int x) {
         const auto parts = g.node_of(2, "Split", {x, g.integers({2, 4})}, {g.with("axis", std::int64_t(1))});
         return g.node(
             "Concat",
             {g.node("MaxPool", {parts[1]}, {g.list("kernel_shape", {3, 3}), g.list("pads", {1, 1, 1, 1})}), parts[0]},
             {g.with("axis", std::int64_t(1))});
     }},
    {"Slice",
     {5, 6},
     [](graph_maker& g, int x) {
         return g.node("Slice", {x, g.integers({1, -5}), g.integers({4, 100}), g.integers({0, 1}), g.integers({1, 2})});
     }},
    {"Slice",
     {1, 3, 5, 6},
     [](graph_maker& g, int x) {
         return g.node("Slice", {x, g.integers({1, 1}), g.integers({3, 4}), g.integers({1, 2})});
     }},
    {"Pad",
     {2, 3},
     [](graph_maker& g, int x) {
         return g.node("Pad", {x, g.integers({0, 1, 2, 0}), g.floats({}, {1.5f})});
     }},
    {"Pad",
     {1, 2, 3, 3},
     [](graph_maker& g, int x) {
         return g.node("Conv", {g.node("Pad", {x, g.integers({0, 0, 1, 2, 0, 0, 0, 1})}), g.numbers({3, 2, 3, 3})});
     }},
    {"Gather",
     {4, 3},
     [](graph_maker& g, int x) {
         return g.node("Gather", {x, g.constant(tensor({2, 2}, std::vector<std::int64_t>{0, -1, 2, 1}))});
     }},
    {"Gather",
     {4, 3},
     [](graph_maker& g, int x) {
         return g.node("Gather", {x, g.integers({2, 0})}, {g.with("axis", std::int64_t(1))});
     }},
    {"DepthToSpace",
     {1, 8, 2, 3},
     [](graph_maker& g, int x) { return g.node("DepthToSpace", {x}, {g.with("blocksize", std::int64_t(2))}); }},
    {"SpaceToDepth",
     {1, 2, 4, 6},
     [](graph_maker& g, int x) { return g.node("SpaceToDepth", {x}, {g.with("blocksize", std::int64_t(2))}); }},
    {"Resize",
     {1, 2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, g.floats({4}, {1, 1, 2, 2})},
                       {g.with("mode", std::string_view("nearest")), g.with("nearest_mode", std::string_view("floor")),
                        g.with("coordinate_transformation_mode", std::string_view("asymmetric"))});
     }},
    {"Resize",
     {1, 2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, -1, g.integers({1, 2, 9, 12})},
                       {g.with("mode", std::string_view("nearest")), g.with("nearest_mode", std::string_view("floor")),
                        g.with("coordinate_transformation_mode", std::string_view("asymmetric"))});
     }},
    {"Resize",
     {1, 2, 6, 8},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, -1, g.integers({1, 2, 3, 4})},
                       {g.with("mode", std::string_view("nearest")), g.with("nearest_mode", std::string_view("floor")),
                        g.with("coordinate_transformation_mode", std::string_view("asymmetric"))});
     }},
    {"Resize",
     {1, 2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, -1, g.integers({1, 2, 5, 9})}, {g.with("mode", std::string_view("linear"))});
     }},
    {"Resize",
     {1, 2, 3, 4},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, -1, g.integers({1, 2, 5, 9})},
                       {g.with("mode", std::string_view("linear")),
                        g.with("coordinate_transformation_mode", std::string_view("asymmetric"))});
     }},
    {"Resize",
     {1, 2, 9, 8},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, -1, g.integers({1, 2, 5, 3})}, {g.with("mode", std::string_view("linear"))});
     }},
    {"Resize",
     {1, 2, 6, 4},
     [](graph_maker& g, int x) {
         return g.node("Resize", {x, -1, -1, g.integers({1, 2, 4, 9})},
                       {g.with("mode", std::string_view("linear")),
                        g.with("coordinate_transformation_mode", std::string_view("align_corners"))});
     }},
    {"ArgMax",
     {2, 5, 3},
     [](graph_maker& g, int x) { return g.node("ArgMax", {x}, {g.with("axis", std::int64_t(1))}, 13, element::i64); }},
    {"ArgMax",
     {2, 41},
     [](graph_maker& g, int x) { return g.node("ArgMax", {x}, {g.with("axis", std::int64_t(-1))}, 13, element::i64); }},
    {"ArgMin",
     {41, 6},
     [](graph_maker& g, int x) { return g.node("ArgMin", {x}, {g.with("axis", std::int64_t(0))}, 13, element::i64); }},
    {"ArgMin",
     {2, 5},
     [](graph_maker& g, int x) {
         return g.node("ArgMin", {x}, {g.with("axis", std::int64_t(-1)), g.with("keepdims", std::int64_t(0))}, 13,
                       element::i64);
     }},
    {"Concat",
     {2, 3, 2, 2},
     [](graph_maker& g, int x) {
         return g.node("Concat", {x, g.node("Relu", {x})}, {g.with("axis", std::int64_t(0))});
     }},
    {"Dropout", {2, 3}, [](graph_maker& g, int x) { return g.node("Dropout", {x}); }},
    {"Concat",
     {2, 6},
     [](graph_maker& g, int x) {
         const std::vector<attribute> axis{g.with("axis", std::int64_t(1))};
         const auto parts = g.node_of(2, "Split", {x, g.integers({2, 4})}, axis);
         return g.node("Concat", {parts[1], parts[0]}, axis);
     }},
    {"Concat",
     {2, 6},
     [](graph_maker& g, int x) {
         const std::vector<attribute> axis{g.with("axis", std::int64_t(1))};
         const auto parts = g.node_of(2, "Split", {x, g.integers({2, 4})}, axis);
         return g.node("Concat", {g.node("Identity", {parts[1]}), g.node("Dropout", {parts[0]})}, axis);
     }},
    {"Clip",
     {2, 9},
     [](graph_maker& g, int x) {
         return g.node("Clip", {x, g.floats({}, {-1})});
     }},
    // joined and split again, with borders of their own in between
    {"Concat",
     {1, 2, 5, 7},
     [](graph_maker& g, int x) {
         const std::vector<attribute> axis{g.with("axis", std::int64_t(1))};
         const int two = g.node("Concat", {x, g.node("Relu", {x})}, axis);
         const int four = g.node(
             "Concat", {two, g.node("MaxPool", {two}, {g.list("kernel_shape", {3, 3}), g.list("pads", {1, 1, 1, 1})})},
             axis);
         return g.node("Concat", {four, g.node("Sigmoid", {x})}, axis);
     }},
    {"Split",
     {1, 6, 5, 7},
     [](graph_maker& g, int x) {
         const std::vector<attribute> axis{g.with("axis", std::int64_t(1))};
         const auto two = g.node_of(2, "Split", {g.node("Relu", {x}), g.integers({4, 2})}, axis);
         const auto halves = g.node_of(2, "Split", {two[0], g.integers({2, 2})}, axis);
         const int pooled =
             g.node("MaxPool", {halves[1]}, {g.list("kernel_shape", {3, 3}), g.list("pads", {1, 1, 1, 1})});
         return g.node("Add", {g.node("Add", {halves[0], pooled}), two[1]});
     }},
    {"Split",
     {1, 2, 5, 7},
     [](graph_maker& g, int x) {
         const std::vector<attribute> axis{g.with("axis", std::int64_t(1))};
         const int concat = g.node("Concat", {x, g.node("Relu", {x})}, axis);
         const auto parts = g.node_of(2, "Split", {concat, g.integers({1, 3})}, axis);
         return g.node("Concat", {g.node("Tanh", {parts[1]}), g.node("Relu", {parts[0]})}, axis);
     }},
};
}  // namespace graph_cases
// All results are those of the reference kernels, and the engine has all nodes but these.
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
// Of large numbers, infinities and NaN functions of one operand are those of the reference kernels.
template <provider P> void check_extremes(const P& p) {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const shape dims{3, 5};
    const tensor x(dims,
                   {-1000.f, -100.f, -88.f, 0.f, 88.f, 100.f, 1000.f, 3.f, -inf, inf, -1e30f, 1e30f, 4e9f, -4e9f, nan});
    for (const char* op : {"Relu", "Sigmoid", "Tanh", "Elu", "LeakyRelu", "HardSwish", "HardSigmoid", "Abs", "Exp",
                           "Neg", "Floor", "Clip"}) {
        graph_maker g;
        const model m = g.done({g.node(op, {g.input(dims)}, {}, std::string_view(op) == "HardSwish" ? 14 : 13)});
        const inlay::session s{m, quiet(), p, reference{}};
        const inlay::session plain{m, quiet(), reference{}};
        const auto y = floats(s.run({{"x", x}})[0]), expected = floats(plain.run({{"x", x}})[0]);
        REQUIRE(y.size() == expected.size());
        const bool bounded = has_text("Relu HardSigmoid Clip", op);
        for (std::size_t k = 0; k < y.size(); ++k) {
            INFO(op << " of " << floats(x)[k] << ": " << y[k] << ", expected: " << expected[k]);
            const bool same = y[k] == expected[k] || (std::isnan(y[k]) && std::isnan(expected[k]));
            if (bounded && std::isnan(expected[k])) continue;  // Arm's kernels may give a bound
            CHECK((same || y[k] == Approx(expected[k]).epsilon(2e-5).margin(1e-5)));
        }
    }
}
}  // namespace inlay::testing
