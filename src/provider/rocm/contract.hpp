// What ONNX Runtime's ROCm provider had kernels for (its last version is 1.22, over ROCm 6.4): deprecated.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace rocm_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"5.2", "6.4"};
constexpr element_set floats = f32 | f16, wide = floats | f64, integers = i32 | i64 | u32 | u64,
                      numbers = wide | integers, all = numbers | boolean | i8 | u8 | i16 | u16;
constexpr capability operators[]{
    {"Conv ConvTranspose", floats, {}, 3, 5},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", floats, {}, 3, 5},
    {"BatchNormalization", wide, {}, 2, 5, {no_output(1)}},
    {"InstanceNormalization LRN", floats, {}, 3, 5},
    {"LayerNormalization", wide},
    {"Gemm MatMul", wide | bf16},
    {"Acos Asin Atan Ceil Cos Elu Erf Exp Floor HardSigmoid LeakyRelu Log Reciprocal Round Selu Sigmoid Sin Softplus "
     "Softsign Sqrt Tan Tanh ThresholdedRelu PRelu",
     wide},
    {"Abs Neg Sign Relu Clip", numbers},
    {"Add Sub Mul Div Max Min Sum Mod Pow", numbers},
    {"Equal Greater GreaterOrEqual Less LessOrEqual", numbers | boolean},
    {"And Or Xor Not", boolean},
    {"Where", all},
    {"Softmax LogSoftmax", wide},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare",
     wide | i32 | i64},
    {"ArgMax ArgMin", wide},
    {"TopK CumSum", numbers},
    {"Cast Concat Dropout Expand Flatten Gather GatherElements GatherND Identity OneHot Pad Reshape ScatterElements "
     "ScatterND Shape Size Slice Split Squeeze Tile Transpose Trilu Unsqueeze ConstantOfShape NonZero EyeLike Range",
     all},
    {"DepthToSpace SpaceToDepth", wide, {}, 4, 4},
    {"Resize Upsample", floats | i32 | u8},
    {"GRU LSTM RNN", wide},
    {"com.microsoft:Attention com.microsoft:BiasGelu com.microsoft:FastGelu com.microsoft:Gelu "
     "com.microsoft:SkipLayerNormalization com.microsoft:EmbedLayerNormalization",
     floats | i32},
};
}  // namespace rocm_table
inline constexpr provider_contract rocm_contract{
    .name = "ROCMExecutionProvider",
    .short_name = "rocm",
    .sdk = "ROCm",
    .versions = rocm_table::versions,
    .source = "github.com/microsoft/onnxruntime, kernels of its ROCm provider up to 1.22",
    .memory = {.space = "hip", .alignment = 256},
    .options =
        [] {
            return std::vector<contract_option>{
                {"device_id", "0", "integer"},
                {"gpu_mem_limit", "18446744073709551615", "text"},
                {"arena_extend_strategy", "kNextPowerOfTwo", "kNextPowerOfTwo kSameAsRequested"},
                {"do_copy_in_default_stream", "true", "flag"}};
        },
    .operators = rocm_table::operators,
    .costs = {.device = "an MI210, half of its data sheet's rates; the host by PCIe 4.0",
              .f32 = 11e12,
              .f16 = 90e12,
              .codes = 90e12,
              .memory = 0.8e12,
              .node = 8e-6,
              .region = 0,
              .link = 20e9,
              .copy = 1e-5},
};
}  // namespace v1
}  // namespace inlay
