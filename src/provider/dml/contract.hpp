// What DirectML takes, by docs/OperatorKernels.md of ONNX Runtime (its provider with DirectML 1.15; 1.9 took up to
// opset 12). Tensors have at most eight dimensions.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/dml.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"1.9", "1.15"};
constexpr element_set floats = f32 | f16, integers = i8 | u8 | i16 | u16 | i32 | u32 | i64 | u64,
                      numbers = floats | integers, all = numbers | boolean;
constexpr capability operators[]{
    {"Conv ConvTranspose", floats, {}, 3, 5},
    {"AveragePool LpPool GlobalAveragePool GlobalLpPool", floats, {}, 3, 5},
    {"MaxPool GlobalMaxPool", floats | i8 | u8, {}, 3, 5},
    {"BatchNormalization", floats, {}, 1, 8, {no_output(1)}},
    {"InstanceNormalization LRN MeanVarianceNormalization LpNormalization", floats, {}, 1, 8},
    {"LayerNormalization", floats, {}, 1, 8, {no_output(1)}, "1.15"},
    {"Gemm MatMul", floats, {}, 1, 8},
    {"Einsum", floats, {}, 1, 8, {}, "1.15"},
    {"ConvInteger MatMulInteger QLinearConv QLinearMatMul", i8 | u8, {}, 1, 8},
    {"QuantizeLinear DequantizeLinear", i8 | u8 | i32, {}, 0, 8},
    {"DynamicQuantizeLinear", f32, {}, 0, 8},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid Hardmax LeakyRelu Log "
     "Reciprocal Round Selu Shrink Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh "
     "ThresholdedRelu",
     floats,
     {},
     0,
     8},
    {"Gelu HardSwish com.microsoft:Gelu com.microsoft:QuickGelu com.microsoft:BiasGelu", floats, {}, 0, 8, {}, "1.15"},
    {"Abs Neg Sign Relu Clip PRelu", numbers, {}, 0, 8},
    {"Add Sub Mul Div Max Min Sum Mean Mod Pow", numbers, {}, 0, 8},
    {"Equal Greater GreaterOrEqual Less LessOrEqual Where", all, {}, 0, 8},
    {"And Or Xor Not", boolean, {}, 0, 8},
    {"IsNaN IsInf", floats, {}, 0, 8},
    {"Softmax LogSoftmax", floats, {}, 1, 8},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare",
     numbers,
     {},
     0,
     8,
     {known(1)}},
    {"ArgMax ArgMin TopK CumSum", numbers, {}, 1, 8},
    {"Cast Concat ConstantOfShape Dropout Expand EyeLike Flatten Gather GatherElements GatherND Identity OneHot Pad "
     "Range Reshape ReverseSequence ScatterElements ScatterND Shape Size Slice Split Squeeze Tile Transpose Unsqueeze "
     "NonZero",
     all,
     {},
     0,
     8},
    {"Trilu", all, {}, 0, 8, {}, "1.15"},
    {"DepthToSpace SpaceToDepth", all, {}, 4, 4},
    {"Resize Upsample", floats | i8 | u8, {}, 1, 8, {text("mode", "nearest linear"), equal("antialias", 0)}},
    {"GridSample", floats, {}, 4, 4, {}, "1.15"},
    {"RoiAlign", floats, {}, 4, 4},
    {"GRU LSTM RNN", floats, {}, 3, 3},
    {"com.microsoft:Attention com.microsoft:MultiHeadAttention com.microsoft:GroupQueryAttention "
     "com.microsoft:SkipLayerNormalization com.microsoft:EmbedLayerNormalization com.microsoft:MatMulNBits "
     "com.microsoft:RotaryEmbedding com.microsoft:FusedMatMul com.microsoft:QLinearAdd com.microsoft:QLinearSigmoid",
     all,
     {},
     0,
     8,
     {},
     "1.15"},
};
}  // namespace dml_table
inline constexpr provider_contract dml_contract{
    .name = "DmlExecutionProvider",
    .short_name = "dml",
    .sdk = "DirectML",
    .versions = dml_table::versions,
    .source = "github.com/microsoft/onnxruntime, docs/OperatorKernels.md; onnxruntime.ai, DirectML provider",
    .memory = {.space = "d3d12", .alignment = 256},
    .options = contract_options_of<dml>,
    .operators = dml_table::operators,
    .costs = {.device = "a GeForce RTX 3060, half of its data sheet's rates; the host by PCIe 4.0",
              .f32 = 6e12,
              .f16 = 24e12,
              .codes = 48e12,
              .memory = 180e9,
              .node = 8e-6,
              .region = 5e-5,
              .link = 12e9,
              .copy = 2e-5},
};
}  // namespace v1
}  // namespace inlay
