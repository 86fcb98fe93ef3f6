// What the ONNX parser of TensorRT takes: docs/operators.md of onnx-tensorrt at 8.4 and 8.5. TensorRT RTX has the same
// parser, of version 10, and is not told apart here.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace tensorrt_table {
using namespace demands;
using namespace element_sets;
constexpr element_set floats = f32 | f16, numbers = floats | i32 | i64, all = numbers | boolean;
constexpr capability operators[]{
    {"Conv ConvTranspose", floats | bf16, i8, 3, 5, {constant(1), constant(2)}},
    {"Conv ConvTranspose", floats | bf16, i8, 3, 5, {}, "8.5"},
    {"AveragePool", floats, i8, 4, 5},
    {"MaxPool", floats, i8, 4, 5, {no_output(1)}},
    {"GlobalAveragePool GlobalMaxPool GlobalLpPool LpPool", floats, i8, 3, 5},
    {"Gemm", floats | bf16, i8},
    {"MatMul", floats | bf16, i8},
    {"BatchNormalization", floats | bf16, {}, 1, max_rank, {no_output(1)}},
    {"InstanceNormalization", floats, {}, 3, 5, {constant(1), constant(2)}},
    {"LRN LpNormalization", floats},
    {"MeanVarianceNormalization", floats, {}, 0, max_rank, {}, "8.5"},
    {"LayerNormalization GroupNormalization", floats | bf16, {}, 1, max_rank, {no_output(1)}, "10.0"},
    {"Abs Neg Sign", numbers},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid LeakyRelu Log Relu Round Selu "
     "Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Clip PRelu",
     floats | bf16, i8},
    {"HardSwish Reciprocal Shrink", floats, i8, 0, max_rank, {}, "8.5"},
    {"Relu", i32 | i64, {}, 0, max_rank, {}, "10.0"},  // the table does not say so, and TensorRT RTX 1.7 takes it
    {"Gelu Mish", floats | bf16, {}, 0, max_rank, {}, "10.0"},
    {"Add Sub Mul Div Max Min Sum Mean", numbers | bf16, i8},
    {"Pow", floats},
    {"Mod", numbers, {}, 0, max_rank, {}, "8.5"},
    {"Equal Greater GreaterOrEqual Less LessOrEqual", numbers},
    {"And Or Xor Not", boolean},
    {"IsNaN", numbers},
    {"IsInf", floats, {}, 0, max_rank, {}, "10.0"},
    {"Where", all},
    {"Softmax LogSoftmax", floats | bf16},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare",
     floats | bf16,
     {},
     1,
     max_rank,
     {known(1)}},
    {"ArgMax ArgMin", floats},
    {"TopK", floats, {}, 1, max_rank, {known(1)}},
    {"CumSum", floats, {}, 1, max_rank, {known(1)}},
    {"Einsum", floats, {}, 0, max_rank},
    {"Cast", floats | bf16 | i32 | i64 | i8 | u8 | boolean},
    {"Concat Flatten Gather GatherElements GatherND Identity Reshape Squeeze Unsqueeze Transpose Shape Size Expand "
     "Split Tile Dropout",
     all | bf16 | i8},
    {"Slice", all | bf16, {}, 1, max_rank, {known(3)}},
    {"Pad", numbers, i8},
    {"ScatterElements ScatterND", numbers | i8},
    {"Trilu OneHot", all, {}, 0, max_rank, {}, "8.5"},
    {"NonZero RoiAlign GridSample", floats, {}, 0, max_rank, {}, "8.5"},
    {"NonMaxSuppression", floats, {}, 0, max_rank, {known(2), known(3), known(4)}},
    {"ConstantOfShape Range EyeLike", all},
    {"DepthToSpace SpaceToDepth", numbers},
    {"Resize",
     floats,
     {},
     3,
     5,
     {text("mode", "nearest linear"),
      text("coordinate_transformation_mode",
           "half_pixel pytorch_half_pixel tf_half_pixel_for_nn asymmetric align_corners")}},
    {"Upsample", floats},
    {"GRU LSTM RNN ReverseSequence", floats},
    {"QuantizeLinear DequantizeLinear", i8, {}, 0, max_rank, {constant(1), constant(2)}},
    {"RandomUniform RandomUniformLike", floats},
    {"RandomNormal RandomNormalLike", floats, {}, 0, max_rank, {}, "8.5"},
};
}  // namespace tensorrt_table
}  // namespace v1
}  // namespace inlay
