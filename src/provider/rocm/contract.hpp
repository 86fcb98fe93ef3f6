// What ONNX Runtime's ROCm provider had kernels for (its last version is 1.22, over ROCm 6.4): deprecated. The kernels
// that rocm_execution_provider.cc at 41e2f69 and rocm_contrib_kernels.cc at a97d1d8 register, to opset 20, those that
// are commented out left out; of kernels that the registry gives no type, the types that docs/OperatorKernels.md has of
// CUDA's, whose sources they are. Rows tell no versions of operators: ArgMax and ArgMin, whose last kernels are of
// opset 11, are not here.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace rocm_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"5.2", "6.4"};
constexpr element_set floats = f32 | f16, wide = floats | f64, brief = wide | bf16, integers = i32 | i64 | u32 | u64,
                      numbers = wide | integers, every_integer = integers | i8 | u8 | i16 | u16,
                      all_types = brief | every_integer | boolean;
constexpr capability operators[]{
    {"Conv ConvTranspose", floats, {}, 3, 5},
    {"AveragePool GlobalAveragePool GlobalMaxPool", wide, {}, 3, 5},
    {"MaxPool", wide | i8 | u8, {}, 3, 5},
    {"BatchNormalization", floats, {}, 2, 5, {no_output(1)}},
    {"InstanceNormalization LRN", wide, {}, 3, 5},
    {"LayerNormalization", brief},
    {"SimplifiedLayerNormalization", wide},
    {"Gemm MatMul", brief},
    {"MatMulInteger", i8},
    {"Einsum", wide},
    {"Ceil Cos Elu Erf Exp Floor HardSigmoid LeakyRelu Log Reciprocal Round Selu Sin Softplus Softsign Sqrt "
     "ThresholdedRelu PRelu",
     wide},
    {"Relu Sigmoid Tanh", brief},
    {"Abs Sign Shrink", wide | every_integer},
    {"Neg", wide | i8 | i16 | i32 | i64},
    {"Clip", wide | i8 | u8 | i64 | u64},
    {"Add Sub Mul Div Max Min Mod", numbers | bf16},
    {"Sum", brief},
    {"Pow", brief | i32 | i64},
    {"Equal", numbers | boolean},
    {"Greater GreaterOrEqual Less LessOrEqual", numbers},
    {"And Or Xor Not", boolean},
    {"IsNaN IsInf", brief},
    {"Where", wide | i32 | i64 | u8},
    {"Softmax", floats | bf16},
    {"LogSoftmax", floats},
    // The last kernels of these are of opset 13 and 14, where the axes are an attribute.
    {"ReduceL1 ReduceL2 ReduceMean ReduceProd", floats | i32, {}, 0, max_rank, {no_input(1)}},
    {"ReduceMax ReduceMin", floats | i8 | u8 | i32 | i64, {}, 0, max_rank, {no_input(1)}},
    {"ReduceLogSum ReduceLogSumExp ReduceSumSquare", floats, {}, 0, max_rank, {no_input(1)}},
    {"ReduceSum", floats | bf16 | i32 | i64},
    {"TopK", wide | i32 | i64},
    {"CumSum", numbers},
    {"Cast Compress Concat Expand Flatten Gather GatherElements Identity Reshape ReverseSequence ScatterElements "
     "ScatterND Shape Size Slice Split Squeeze Transpose Trilu Unsqueeze",
     all_types},
    {"GatherND", brief | i64 | boolean},
    {"ConstantOfShape", i64},
    {"Dropout", brief},
    {"EyeLike", f32 | f64 | i32 | i64 | u64},
    {"NonZero", floats | u8 | i32 | i64 | boolean},
    {"OneHot", i32 | i64},
    {"Pad", wide | boolean},
    {"Range", f32 | f64 | i16 | i32 | i64},
    {"Tile", brief | i32 | i64},
    {"DepthToSpace SpaceToDepth", wide, {}, 4, 4},
    {"Resize Upsample", wide | i32 | u8},
    {"NonMaxSuppression", f32},
    {"RoiAlign", f32 | f64},
    {"RandomNormal RandomUniform", wide},
    {"RandomNormalLike RandomUniformLike", all_types},
    {"QuantizeLinear DequantizeLinear", i8 | u8},
    {"com.microsoft:Gelu com.microsoft:QuickGelu", wide},
    {"com.microsoft:BiasGelu com.microsoft:FusedMatMul", brief},
    {"com.microsoft:FastGelu", floats | bf16},
    {"com.microsoft:Attention com.microsoft:MultiHeadAttention com.microsoft:DecoderMaskedMultiHeadAttention "
     "com.microsoft:SkipLayerNormalization com.microsoft:SkipSimplifiedLayerNormalization com.microsoft:BiasAdd "
     "com.microsoft:BiasSplitGelu",
     floats},
    {"com.microsoft:EmbedLayerNormalization", i32},
    {"com.microsoft:GridSample", f32},
};
}  // namespace rocm_table
inline constexpr provider_contract rocm_contract{
    .name = "ROCMExecutionProvider",
    .short_name = "rocm",
    .sdk = "ROCm",
    .versions = rocm_table::versions,
    .source = "github.com/microsoft/onnxruntime, the registry of its ROCm provider at 41e2f69 and a97d1d8",
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
