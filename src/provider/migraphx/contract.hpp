// What MIGraphX's reader of ONNX takes: AMD's "Supported ONNX Operators" (docs/dev/onnx_operators.rst of AMDMIGraphX at
// 0a3b385), of opsets up to 19, whose types are ONNX's where nothing else is said. The last row, and Gelu of ai.onnx,
// are none of that page: src/onnx has readers of them.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/migraphx.hpp>

namespace inlay {
inline namespace v1 {
namespace migraphx_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"2.10", "2.14"};
constexpr element_set floats = f32 | f16 | f64, wide = floats | i32 | i64 | u32 | u64,
                      numbers = wide | i8 | u8 | i16 | u16, all_types = numbers | boolean;
constexpr capability operators[]{
    {"Conv AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool BatchNormalization InstanceNormalization "
     "GroupNormalization LayerNormalization LRN LpNormalization MeanVarianceNormalization",
     floats,
     {},
     1,
     max_rank,
     {no_output(1)}},
    {"MaxPool", f32 | f16 | i8, {}, 3, max_rank, {no_output(1), equal("storage_order", 0)}},
    {"LpPool", f32 | f16 | i8, {}, 3, max_rank},  // the page: MIOpen does not have it on GPUs
    {"ConvTranspose", floats, {}, 3, 5, {text("auto_pad", "NOTSET")}},
    {"ConvInteger", i8},
    {"MatMulInteger QLinearConv QLinearMatMul com.microsoft:QLinearAdd com.microsoft:QLinearAveragePool "
     "com.microsoft:QLinearGlobalAveragePool com.microsoft:QLinearLeakyRelu com.microsoft:QLinearMul "
     "com.microsoft:QLinearSigmoid",
     i8 | u8},
    {"com.microsoft:QLinearConcat", f32},  // its first input is a scale
    {"QuantizeLinear DequantizeLinear", i8 | u8 | i16 | u16 | i32},
    {"DynamicQuantizeLinear Celu", f32},
    {"Gemm MatMul PRelu", wide},
    {"Einsum Dropout", all_types},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Elu Exp Floor HardSigmoid HardSwish Hardmax IsInf IsNaN LeakyRelu "
     "Log LogSoftmax Mean NonZero Reciprocal Round Selu Sigmoid Sin Sinh Softmax Softplus Softsign Sqrt Sum Tan Tanh "
     "ThresholdedRelu",
     floats},
    {"Gelu", floats, {}, 0, max_rank, {}, "2.14"},
    {"Abs Add ArgMax ArgMin Clip Div Erf Greater GreaterOrEqual Less LessOrEqual Max Min Pow Shrink Sign Sub", numbers},
    {"Mul", numbers},  // the page has it without int8 and int32, as it has Mod
    {"Mod OneHot", floats | u8 | u16 | u32 | u64 | i16 | i64},
    {"Neg", floats | i8 | i32 | i64},
    {"Relu", floats | i8 | i16 | i32 | i64},
    {"And Or Xor Not", boolean},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare CumSum",
     wide,
     {},
     0,
     max_rank,
     {known(1)}},
    {"TopK", numbers, {}, 1, max_rank, {known(1), equal("sorted", 1)}},
    {"Cast CastLike Concat DepthToSpace Equal Expand EyeLike Flatten Gather GatherElements GatherND Identity Scatter "
     "ScatterElements ScatterND Shape Size SpaceToDepth Transpose Upsample Where",
     all_types},
    {"ConstantOfShape", i64, {}, 0, max_rank, {known(0)}},
    {"Reshape", f32 | f16 | i8 | i32 | i64 | boolean, {}, 0, max_rank, {known(1), equal("allowzero", 0)}},
    {"Split Squeeze Tile Trilu Unsqueeze ReverseSequence", all_types, {}, 0, max_rank, {known(1)}},
    {"Slice", all_types, {}, 0, max_rank, {known(1), known(2), known(3), known(4)}},
    {"Pad", all_types, {}, 0, max_rank, {known(1), text("mode", "constant reflect")}},
    {"Range", floats | i16 | i32 | i64, {}, 0, max_rank, {known(0), known(1), known(2)}},
    {"Resize",
     numbers,
     {},
     1,
     max_rank,
     {text("mode", "nearest linear"), equal("antialias", 0), equal("exclude_outside", 0),
      text("coordinate_transformation_mode",
           "half_pixel pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn"),
      text("keep_aspect_ratio_policy", "stretch")}},
    {"Unique", all_types, {}, 1, 1},  // along axis 0
    {"GridSample", floats | i32 | i64 | u32 | u64, {}, 4, 4},
    {"RoiAlign NonMaxSuppression Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike GRU",
     floats},
    {"LSTM RNN", f32 | f16},
    {"com.microsoft:BiasGelu com.microsoft:Gelu", floats},
    {"com.microsoft:FastGelu", f32 | f16},
    {"com.microsoft:Attention com.microsoft:SkipLayerNormalization com.microsoft:MatMulNBits "
     "com.microsoft:GroupQueryAttention",
     floats,
     {},
     0,
     max_rank,
     {},
     "2.14"},
};
}  // namespace migraphx_table
inline constexpr provider_contract migraphx_contract{
    .name = "MIGraphXExecutionProvider",
    .short_name = "migraphx",
    .sdk = "MIGraphX",
    .versions = migraphx_table::versions,
    .source = "github.com/ROCm/AMDMIGraphX, docs/dev/onnx_operators.rst at 0a3b385; options by onnxruntime.ai",
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
