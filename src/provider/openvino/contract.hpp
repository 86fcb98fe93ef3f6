// What OpenVINO takes: it reads ONNX itself, so that the table is the list of its ONNX front end, of the types that its
// CPU device has.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace openvino_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"2026.4"};
constexpr element_set floats = f32 | f16 | bf16 | f64, integers = i8 | u8 | i16 | u16 | i32 | u32 | i64 | u64,
                      numbers = floats | integers, all_types = numbers | boolean;
constexpr capability operators[]{
    {"Conv ConvTranspose AveragePool MaxPool LRN InstanceNormalization BatchNormalization GroupNormalization",
     floats,
     {},
     2,
     5},
    {"GlobalAveragePool GlobalMaxPool LayerNormalization LpNormalization MeanVarianceNormalization", floats},
    {"Gemm MatMul Einsum", numbers},
    {"MatMulInteger ConvInteger QLinearMatMul com.microsoft:QLinearAdd com.microsoft:QLinearAveragePool MaxPool",
     u8 | i8},
    {"QuantizeLinear DequantizeLinear", u8 | i8 | u16 | i16 | i32},
    {"DynamicQuantizeLinear", f32},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Hardmax "
     "LeakyRelu Log Mish Reciprocal Round Selu Shrink Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu",
     floats},
    {"Softmax LogSoftmax", floats},
    {"Abs Neg Relu Sign Clip PRelu", numbers},
    {"Add Sub Mul Div Mod Pow Max Min Sum Mean", numbers},
    {"Equal Greater GreaterOrEqual Less LessOrEqual Where", all_types},
    {"And Or Xor Not", boolean},
    {"IsNaN IsInf", floats},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare",
     numbers},
    {"ArgMax ArgMin TopK CumSum", numbers},
    {"Cast Concat ConstantOfShape Dropout Expand Flatten Gather GatherElements GatherND Identity OneHot Pad Range "
     "Reshape ReverseSequence ScatterElements ScatterND Shape Size Slice Split Squeeze Tile Transpose Trilu Unsqueeze",
     all_types},
    {"DepthToSpace SpaceToDepth", numbers},
    {"Resize Upsample GridSample RoiAlign", floats},
    {"GRU LSTM RNN", floats},
    {"EyeLike", all_types},
    {"com.microsoft:Attention com.microsoft:BiasGelu com.microsoft:Gelu "
     "com.microsoft:SkipLayerNormalization com.microsoft:EmbedLayerNormalization",
     floats | i32},
};
}  // namespace openvino_table
inline constexpr provider_contract openvino_contract{
    .name = "OpenVINOExecutionProvider",
    .short_name = "openvino",
    .sdk = "OpenVINO",
    .versions = openvino_table::versions,
    .source = "docs.openvino.ai, supported operations of the ONNX front end; checked against the library",
    .memory = {},
    .options =
        [] {
            return std::vector<contract_option>{{"device_type", "CPU", "text"},
                                                {"precision", "FP32", "FP32 FP16 BF16 ACCURACY"},
                                                {"num_of_threads", "0", "integer"},
                                                {"cache_dir", "", "text"}};
        },
    .operators = openvino_table::operators,
    .costs = {.device = "a core of a server of 2023, with AVX2; docs/reference/providers/index.md",
              .f32 = 82e9,
              .f16 = 82e9,
              .codes = 210e9,
              .memory = 12e9,
              .node = 5e-7,
              .region = 4e-6},
};
}  // namespace v1
}  // namespace inlay
