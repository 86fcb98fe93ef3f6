// What CANN's reader of ONNX graphs takes: Huawei's lists of 5.0.4 (opsets 9 to 13) and 8.0.0 (9 to 18), both whole.
// They name operators alone; types of Conv, MatMul and Softmax are those of their pages (of MatMul float16, which CANN
// makes of float where the precision mode lets it), the others are read as those that ONNX Runtime's page of its
// provider has, or floats. Upsample is in neither list: Huawei's open source of the reader has it.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/cann.hpp>

namespace inlay {
inline namespace v1 {
namespace cann_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"5.0", "8.0"};
constexpr element_set floats = f32 | f16, numbers = floats | i32 | i64 | i8 | u8, all_types = numbers | i16 | boolean;
constexpr capability operators[]{
    {"Conv", floats, {}, 4, 4},
    {"Conv", f16, {}, 5, 5},
    {"ConvTranspose", floats, {}, 4, 5},
    {"AveragePool MaxPool", floats, {}, 4, 5, {no_output(1)}},
    {"GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool", floats, {}, 3, 5},
    {"BatchNormalization InstanceNormalization LpNormalization LRN MeanVarianceNormalization",
     floats,
     {},
     1,
     max_rank,
     {no_output(1)}},
    {"LayerNormalization", floats, {}, 1, max_rank, {no_output(1)}, "8.0"},
    {"Gemm", floats, {}, 2, 2},
    {"MatMul", floats, {}, 1, 6},
    {"Einsum", floats, {}, 0, max_rank, {}, "8.0"},
    {"LSTM", floats, {}, 3, 3},
    {"GRU", floats, {}, 3, 3, {}, "8.0"},
    {"Abs Neg Relu Sign", numbers},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu Log "
     "PRelu Reciprocal Round Selu Shrink Sigmoid Sin Sinh Softplus Softsign Sqrt Tanh ThresholdedRelu",
     floats},
    {"Tan IsInf IsNaN", floats, {}, 0, max_rank, {}, "8.0"},
    {"Add Sub Mul Div Max Mean Min Mod Pow Sum", numbers},
    {"Equal Greater GreaterOrEqual Less LessOrEqual", numbers},
    {"And Not Or Xor", boolean},
    {"BitwiseAnd BitwiseNot BitwiseOr BitwiseXor", i8 | u8 | i16 | i32 | i64, {}, 0, max_rank, {}, "8.0"},
    {"Hardmax LogSoftmax Softmax", floats},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceSumSquare", floats},
    {"ReduceMax ReduceMin ReduceProd ReduceSum", numbers},
    {"ArgMax ArgMin CumSum TopK", numbers},
    {"Cast Compress Concat Dropout Expand Flatten Gather GatherElements GatherND Identity NonZero OneHot Reshape "
     "ReverseSequence Scatter ScatterElements ScatterND Shape Size Slice Split Squeeze Tile Transpose Unsqueeze Where",
     all_types},
    {"Trilu", all_types, {}, 2, max_rank, {}, "8.0"},
    {"Upsample", floats, {}, 4, 4, {text("mode", "nearest linear")}},
    {"ConstantOfShape", i64},
    {"EyeLike", all_types},
    {"BitShift", u8},
    {"RandomUniform", floats},
    {"RandomNormal", floats, {}, 0, max_rank, {}, "8.0"},
    {"AffineGrid DepthToSpace Det MaxRoiPool MaxUnpool NonMaxSuppression Pad Range Resize RoiAlign SpaceToDepth",
     floats},
    {"GridSample", floats, {}, 4, 5, {}, "8.0"},
    {"SoftmaxCrossEntropyLoss", floats, {}, 2, max_rank, {}, "8.0"},
    {"Multinomial RandomNormalLike RandomUniformLike TfIdfVectorizer", floats},
};
}  // namespace cann_table
inline constexpr provider_contract cann_contract{
    .name = "CANNExecutionProvider",
    .short_name = "cann",
    .sdk = "CANN",
    .versions = cann_table::versions,
    .source = "hiascend.com, lists of ONNX operators of CANN 5.0.4.6 and 8.0.0",
    .memory = {.space = "ascend", .alignment = 64},
    .options = contract_options_of<cann>,
    .operators = cann_table::operators,
    .costs = {.device = "an Ascend 310P, half of its data sheet's rates (70 TFLOPS, 140 TOPS)",
              .f32 = 8e12,
              .f16 = 35e12,
              .codes = 70e12,
              .memory = 100e9,
              .node = 5e-6,
              .region = 2e-5,
              .link = 10e9,
              .copy = 2e-5},
};
}  // namespace v1
}  // namespace inlay
