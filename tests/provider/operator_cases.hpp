// Operators that engines may take, one case after another, compared with the reference kernels.
#pragma once
#include "engines.hpp"

namespace inlay::testing {
struct operator_case {
    std::string_view op;
    shape x;
    std::string graph;  // of input x, over constants, to output y
    std::string_view version = "21";
};
inline std::string conv_case(std::string_view attributes, std::string_view w, int count, bool bias = true) {
    return "<float[" + std::string(w) + "] w = {" + numbers(count) + "}" +
           (bias ? ", float[4] b = {0.5, -0.5, 0.25, 1}> { y = Conv " : "> { y = Conv ") + std::string(attributes) +
           (bias ? " (x, w, b) }" : " (x, w) }");
}
inline const std::vector<operator_case> operator_cases{
    {"Conv", {2, 3, 8, 7}, conv_case("<pads = [1,0,2,1], strides = [2,1]>", "4,3,3,2", 72)},
    {"Conv", {1, 3, 8, 8}, conv_case("<dilations = [2,2]>", "4,3,3,3", 108, false)},
    {"Conv", {1, 3, 9, 8}, conv_case("<auto_pad = \"SAME_UPPER\", strides = [2,2]>", "4,3,3,3", 108)},
    {"Conv", {1, 3, 8, 8}, conv_case("<strides = [3,2]>", "4,3,1,1", 12)},
    {"Conv", {2, 4, 6, 5}, conv_case("<group = 4, pads = [1,1,1,1]>", "4,1,3,3", 36)},
    {"Conv", {1, 2, 6, 5}, conv_case("<group = 2>", "4,1,3,3", 36)},
    {"Conv", {1, 4, 6, 5}, conv_case("<group = 2, pads = [1,1,1,1]>", "4,2,3,3", 72)},
    {"ConvTranspose",
     {1, 3, 4, 5},
     "<float[3,4,3,2] w = {" + numbers(72) +
         "}, float[4] b = {1, 2, 3, 4}> { y = ConvTranspose <strides = [2,1], pads = [1,0,0,1]> (x, w, b) }"},
    {"Gemm",
     {3, 4},
     "<float[5,4] w = {" + numbers(20) +
         "}, float[5] c = {1, 2, 3, 4, 5}> { y = Gemm <transB = 1, alpha = 0.5, beta = 2.0> (x, w, c) }"},
    {"Gemm", {3, 4}, "<float[4,2] w = {" + numbers(8) + "}, float c = {1}> { y = Gemm (x, w, c) }"},
    {"MatMul", {2, 3, 4}, "<float[4,2] w = {" + numbers(8) + "}> { y = MatMul (x, w) }"},
    {"MaxPool", {1, 2, 7, 8}, "{ y = MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]> (x) }"},
    {"MaxPool", {1, 2, 8, 8}, "{ y = MaxPool <kernel_shape = [3,3], strides = [2,2], ceil_mode = 1> (x) }"},
    {"AveragePool", {1, 2, 7, 8}, "{ y = AveragePool <kernel_shape = [3,2], pads = [1,0,1,1]> (x) }"},
    {"AveragePool",
     {1, 2, 7, 8},
     "{ y = AveragePool <kernel_shape = [3,2], pads = [1,0,1,1], count_include_pad = 1> (x) }"},
    {"AveragePool",
     {1, 2, 8, 8},
     "{ y = AveragePool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,0,0], ceil_mode = 1, "
     "count_include_pad = 1> (x) }"},
    {"AveragePool", {1, 2, 7, 8}, "{ y = AveragePool <kernel_shape = [3,3], auto_pad = \"SAME_LOWER\"> (x) }"},
    {"GlobalAveragePool", {2, 3, 5, 4}, "{ y = GlobalAveragePool (x) }"},
    {"GlobalMaxPool", {2, 3, 5, 4}, "{ y = GlobalMaxPool (x) }"},
    {"ReduceMean", {2, 3, 5, 4}, "<int64[2] a = {-1, 1}> { y = ReduceMean <keepdims = 0> (x, a) }"},
    {"ReduceMean", {2, 3}, "{ y = ReduceMean <keepdims = 0> (x) }"},
    {"Relu", {5}, "{ y = Relu (x) }"},
    {"Sigmoid", {2, 5}, "{ y = Sigmoid (x) }"},
    {"Tanh", {2, 5}, "{ y = Tanh (x) }"},
    {"LeakyRelu", {2, 5}, "{ y = LeakyRelu <alpha = 0.2> (x) }"},
    {"Elu", {2, 5}, "{ y = Elu <alpha = 2.0> (x) }"},
    {"HardSwish", {2, 9}, "{ y = HardSwish (x) }"},
    {"HardSigmoid", {2, 9}, "{ y = HardSigmoid <alpha = 0.4> (x) }"},
    {"Clip", {2, 9}, "<float low = {-1}, float high = {0.5}> { y = Clip (x, low, high) }"},
    {"Clip", {2, 9}, "<float low = {-1}> { y = Clip (x, low) }"},
    {"Clip", {2, 9}, "{ y = Clip <max = 0.5> (x) }", "6"},
    {"Abs", {2, 9}, "{ y = Abs (x) }"},
    {"Exp", {2, 9}, "{ y = Exp (x) }"},
    {"Neg", {2, 9}, "{ y = Neg (x) }"},
    {"Floor", {2, 9}, "{ y = Floor (x) }"},
    {"Add", {2, 1, 3}, "<float[4,1] b = {1, 2, 3, 4}> { y = Add (x, b) }"},
    {"Sub", {3}, "<float[2,1] b = {1, 2}> { y = Sub (b, x) }"},
    {"Mul", {2, 3}, "<float b = {3}> { y = Mul (x, b) }"},
    {"Div", {2, 3}, "<float[3] b = {3, -2, 0.5}> { y = Div (x, b) }"},
    {"Max", {2, 3}, "<float[3] b = {0, 0.5, -1}, float[2,1] c = {-0.5, 0}> { y = Max (x, b, c) }"},
    {"Min", {2, 3}, "<float[3] b = {0, 0.5, -1}> { y = Min (x, b) }"},
    {"Sum", {2, 3}, "<float[3] b = {0, 0.5, -1}> { y = Sum (x, b, x) }"},
    {"PRelu", {1, 3, 2, 2}, "<float[3,1,1] s = {0.1, 0.2, 0.3}> { y = PRelu (x, s) }"},
    {"Softmax", {2, 3, 4}, "{ y = Softmax <axis = 1> (x) }"},
    {"Softmax", {2, 3, 4}, "{ y = Softmax (x) }", "11"},
    {"LogSoftmax", {2, 3, 4}, "{ y = LogSoftmax (x) }"},
    {"BatchNormalization",
     {2, 3, 4},
     "<float[3] s = {1, 2, 3}, float[3] b = {0.5, 0, 1}, float[3] m = {0, 1, 2}, float[3] v = {1, 2, 0.5}> "
     "{ y = BatchNormalization (x, s, b, m, v) }"},
    {"InstanceNormalization",
     {2, 3, 4, 2},
     "<float[3] s = {1, 2, 3}, float[3] b = {0.5, 0, 1}> { y = InstanceNormalization <epsilon = 0.01> (x, s, b) }"},
    {"LRN", {1, 6, 3, 2}, "{ y = LRN <size = 3, alpha = 0.3, beta = 0.6, bias = 2.0> (x) }"},
    {"Reshape", {2, 6}, "<int64[2] to = {3, -1}> { y = Reshape (x, to) }"},
    {"Flatten", {2, 3, 2}, "{ y = Flatten <axis = 2> (x) }"},
    {"Squeeze", {2, 1, 2}, "<int64[1] a = {1}> { y = Squeeze (x, a) }"},
    {"Unsqueeze", {2, 3}, "<int64[2] a = {0, 3}> { y = Unsqueeze (x, a) }"},
    {"Transpose", {2, 3, 4}, "{ y = Transpose <perm = [2,0,1]> (x) }"},
    {"Transpose", {2, 3, 2, 2, 3}, "{ y = Transpose <perm = [3,0,4,1,2]> (x) }"},
    {"Concat", {2, 3}, "<float[2,1] b = {7, 8}> { y = Concat <axis = -1> (x, b, x) }"},
    {"Split", {2, 6}, "<int64[2] s = {2, 4}> { a, b = Split <axis = 1> (x, s) y = Concat <axis = 1> (b, a) }"},
    {"Slice",
     {5, 6},
     "<int64[2] s = {1, -5}, int64[2] e = {4, 100}, int64[2] a = {0, 1}, int64[2] t = {1, 2}> "
     "{ y = Slice (x, s, e, a, t) }"},
    {"Pad", {2, 3}, "<int64[4] p = {0, 1, 2, 0}, float v = {1.5}> { y = Pad (x, p, v) }"},
    {"Gather", {4, 3}, "<int64[2,2] i = {0, -1, 2, 1}> { y = Gather (x, i) }"},
    {"Gather", {4, 3}, "<int64 i = {2}> { y = Gather (x, i) }"},
    {"DepthToSpace", {1, 8, 2, 3}, "{ y = DepthToSpace <blocksize = 2> (x) }"},
    {"SpaceToDepth", {1, 2, 4, 6}, "{ y = SpaceToDepth <blocksize = 2> (x) }"},
    {"Resize",
     {1, 2, 3, 4},
     "<float[4] s = {1, 1, 2, 2}> { y = Resize <mode = \"nearest\", nearest_mode = \"floor\", "
     "coordinate_transformation_mode = \"asymmetric\"> (x, , s) }"},
    {"Resize",
     {1, 2, 3, 4},
     "<int64[4] s = {1, 2, 9, 12}> { y = Resize <mode = \"nearest\", nearest_mode = \"floor\", "
     "coordinate_transformation_mode = \"asymmetric\"> (x, , , s) }"},
    {"Resize", {1, 2, 3, 4}, "<int64[4] s = {1, 2, 5, 9}> { y = Resize <mode = \"linear\"> (x, , , s) }"},
    {"Resize",
     {1, 2, 6, 4},
     "<int64[4] s = {1, 2, 4, 9}> { y = Resize <mode = \"linear\", coordinate_transformation_mode = "
     "\"align_corners\"> (x, , , s) }"},
    {"Upsample", {1, 2, 3, 4}, "<float[4] s = {1, 1, 2, 2}> { y = Upsample <mode = \"linear\"> (x, s) }", "9"},
    {"ArgMax", {2, 5, 3}, "{ y = ArgMax <axis = 1> (x) }"},
    {"ArgMin", {2, 5}, "{ y = ArgMin <axis = -1, keepdims = 0> (x) }"},
    {"Dropout", {2, 3}, "{ y = Dropout (x) }"},
    {"Identity", {2, 3}, "{ y = Identity (x) }"}};

// All results are those of the reference kernels, and the engine has all nodes but these.
template <provider P> void check_operators(const P& p, const std::vector<left_operator>& left = {}) {
    operator_check<P> check(p, left);
    for (const operator_case& c : operator_cases) {
        INFO(c.op << " of " << to_string(c.x) << ": " << c.graph);
        const std::string type = c.op.starts_with("Arg") ? "int64" : "float";
        const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::string(c.version) + "]> g (float" +
                                 to_string(c.x) + " x) => (" + type + " y) " + c.graph;
        check.add(model_of(text, {.optimize = false}), c.op, c.x);
    }
    check.end();
}
}  // namespace inlay::testing
