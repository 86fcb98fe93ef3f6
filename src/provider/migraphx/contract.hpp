// What MIGraphX's reader of ONNX takes: AMD's "Supported ONNX Operators" of 6.2.4 (MIGraphX 2.10) and 7.2 (2.14).
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/migraphx.hpp>

namespace inlay {
inline namespace v1 {
namespace migraphx_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"2.10", "2.14"};
constexpr element_set floats = f32 | f16 | f64, numbers = floats | i8 | u8 | i16 | u16 | i32 | u32 | i64 | u64,
                      all = numbers | boolean;
constexpr capability operators[]{
    {"Conv AveragePool MaxPool GlobalAveragePool GlobalMaxPool LpPool BatchNormalization InstanceNormalization "
     "GroupNormalization LayerNormalization LRN LpNormalization MeanVarianceNormalization",
     floats,
     {},
     1,
     max_rank,
     {no_output(1)}},
    {"ConvTranspose", floats, {}, 3, 5, {text("auto_pad", "NOTSET")}},
    {"ConvInteger MatMulInteger", i8 | u8},
    {"Gemm MatMul Einsum", numbers},
    {"QLinearConv QLinearMatMul", i8 | u8},
    {"QuantizeLinear DequantizeLinear", i8 | u8 | i16 | u16 | i32},
    {"DynamicQuantizeLinear", f32},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu Log "
     "Reciprocal Round Selu Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Shrink",
     floats},
    {"Gelu Mish", floats, {}, 0, max_rank, {}, "2.14"},
    {"Abs Neg Sign Relu Clip PRelu", numbers},
    {"Add Sub Mul Div Max Min Sum Mean Mod Pow", numbers},
    {"Equal Greater GreaterOrEqual Less LessOrEqual Where", all},
    {"And Or Xor Not", boolean},
    {"IsNaN IsInf", floats},
    {"Softmax LogSoftmax Hardmax", floats},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare",
     numbers},
    {"ArgMax ArgMin TopK", numbers},
    {"CumSum", floats | i32 | i64 | u32 | u64, {}, 1, max_rank, {known(1)}},
    {"Cast Concat ConstantOfShape Dropout Expand EyeLike Flatten Gather GatherElements GatherND Identity OneHot Pad "
     "Range Reshape ReverseSequence ScatterElements ScatterND Shape Size Slice Split Squeeze Tile Transpose Trilu "
     "Unsqueeze NonZero",
     all},
    {"DepthToSpace SpaceToDepth", all},
    {"Resize Upsample", numbers, {}, 1, max_rank, {text("mode", "nearest linear"), equal("antialias", 0)}},
    {"GridSample RoiAlign NonMaxSuppression", floats},
    {"GRU LSTM RNN", floats},
    {"com.microsoft:Attention com.microsoft:BiasGelu com.microsoft:FastGelu com.microsoft:Gelu "
     "com.microsoft:SkipLayerNormalization com.microsoft:MatMulNBits com.microsoft:GroupQueryAttention",
     floats},
};
}  // namespace migraphx_table
inline constexpr provider_contract migraphx_contract{
    .name = "MIGraphXExecutionProvider",
    .short_name = "migraphx",
    .sdk = "MIGraphX",
    .versions = migraphx_table::versions,
    .source = "AMD's documentation of MIGraphX, supported ONNX operators; options by onnxruntime.ai",
    .memory = {.space = "amdgpu", .alignment = 256},
    .options = contract_options_of<migraphx>,
    .operators = migraphx_table::operators,
    .costs = {.device = "an MI210, half of its data sheet's rates; the host by PCIe 4.0",
              .f32 = 11e12,
              .f16 = 90e12,
              .codes = 90e12,
              .memory = 0.8e12,
              .node = 4e-6,
              .region = 2e-5,
              .link = 20e9,
              .copy = 1e-5},
};
}  // namespace v1
}  // namespace inlay
