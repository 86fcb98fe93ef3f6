// What DirectML takes, by docs/OperatorKernels.md of ONNX Runtime (commit 001d12d: its provider with DirectML 1.15; 1.9
// took up to opset 12). Where types depend on the version of an operator, those of the newest. Tensors have at most
// eight dimensions, which that page does not tell, nor HardSwish and Gelu of ai.onnx: those are functions, which ONNX
// Runtime writes out before its provider sees them.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace dml_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"1.9", "1.15"};
constexpr element_set floats = f32 | f16, narrow = i8 | u8 | i16 | u16 | i32 | u32, integers = narrow | i64 | u64,
                      numbers = floats | integers, sums = floats | i32 | i64 | u32 | u64, all = numbers | f64 | boolean;
constexpr capability operators[]{
    {"Conv ConvTranspose", floats, {}, 3, 5},
    {"AveragePool LpPool GlobalAveragePool GlobalLpPool GlobalMaxPool", floats, {}, 3, 5},
    {"MaxPool", floats | i8 | u8, {}, 3, 5},
    {"MaxRoiPool MaxUnpool", floats, {}, 3, 5},
    {"BatchNormalization", floats, {}, 1, 8, {no_output(1)}},
    {"InstanceNormalization LRN MeanVarianceNormalization LpNormalization", floats, {}, 1, 8},
    {"LayerNormalization SimplifiedLayerNormalization", floats, {}, 1, 8, {no_output(1)}, "1.15"},
    {"Gemm MatMul", floats, {}, 1, 8},
    {"Einsum", floats, {}, 1, 8, {}, "1.15"},
    {"ConvInteger MatMulInteger QLinearConv QLinearMatMul", i8 | u8, {}, 1, 8},
    {"QuantizeLinear com.microsoft:QuantizeLinear", i8 | u8, {}, 0, 8},
    {"DequantizeLinear com.microsoft:DequantizeLinear", i8 | u8 | i32, {}, 0, 8},
    {"DynamicQuantizeLinear", f32, {}, 0, 8},
    {"Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid Hardmax LeakyRelu Log "
     "Reciprocal Round Selu Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu",
     floats,
     {},
     0,
     8},
    {"Gelu HardSwish com.microsoft:Gelu com.microsoft:QuickGelu com.microsoft:BiasGelu com.microsoft:FastGelu",
     floats,
     {},
     0,
     8,
     {},
     "1.15"},
    {"Sign Clip", numbers, {}, 0, 8},
    {"Abs Neg", floats | i8 | i16 | i32 | i64, {}, 0, 8},
    {"BitShift", u8 | u16 | u32 | u64, {}, 0, 8},
    {"BitwiseAnd BitwiseNot BitwiseOr BitwiseXor", integers, {}, 0, 8, {}, "1.15"},
    {"Relu PRelu", floats | i8 | i16 | i32, {}, 0, 8},
    {"Shrink Mod", floats | narrow, {}, 0, 8},
    {"Add Sub Mul Div Max Min", numbers, {}, 0, 8},
    {"Sum Mean", floats, {}, 0, 8},
    {"Pow", floats | i32, {}, 0, 8},
    {"Equal Greater GreaterOrEqual Less LessOrEqual", numbers, {}, 0, 8},
    {"Where", all, {}, 0, 8},
    {"And Or Xor Not", boolean, {}, 0, 8},
    {"IsNaN", floats, {}, 0, 8},
    {"IsInf", f32, {}, 0, 8},
    {"Softmax LogSoftmax", floats, {}, 1, 8},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare",
     sums,
     {},
     0,
     8,
     {known(1)}},
    {"ReduceMax ReduceMin", all, {}, 0, 8, {known(1)}},
    {"ArgMax ArgMin TopK", numbers, {}, 1, 8},
    {"CumSum", sums, {}, 1, 8},
    {"Cast Concat ConstantOfShape Expand EyeLike Flatten Gather GatherElements GatherND Identity Pad Reshape "
     "ReverseSequence Scatter ScatterElements ScatterND Shape Size Slice Split Squeeze Tile Transpose Unsqueeze",
     all,
     {},
     0,
     8},
    {"CastLike Trilu", all, {}, 0, 8, {}, "1.15"},
    {"Col2Im", all, {}, 2, 3, {}, "1.15"},
    {"Dropout", floats, {}, 0, 8},
    {"NonZero", floats | narrow | boolean, {}, 0, 8},
    {"OneHot", i32 | i64 | u32 | u64, {}, 0, 8},
    {"Range", f32 | i16 | i32 | i64, {}, 0, 0},
    {"DepthToSpace SpaceToDepth", all, {}, 4, 4},
    {"Resize", floats | i8 | u8, {}, 1, 8, {text("mode", "nearest linear"), equal("antialias", 0)}},
    {"Upsample", floats, {}, 1, 8},
    {"GridSample", numbers, {}, 4, 4, {}, "1.15"},
    {"RoiAlign", floats, {}, 4, 4},
    {"DFT", floats | f64, {}, 1, 8, {}, "1.15"},
    {"STFT", floats, {}, 2, 3, {}, "1.15"},
    {"GRU LSTM RNN", floats, {}, 3, 3},
    {"com.microsoft:Attention com.microsoft:MultiHeadAttention com.microsoft:GroupQueryAttention "
     "com.microsoft:SkipLayerNormalization com.microsoft:SkipSimplifiedLayerNormalization com.microsoft:MatMulNBits "
     "com.microsoft:RotaryEmbedding com.microsoft:FusedMatMul com.microsoft:BiasAdd com.microsoft:BiasSplitGelu "
     "com.microsoft:DynamicQuantizeMatMul",
     floats,
     {},
     0,
     8,
     {},
     "1.15"},
    {"com.microsoft:EmbedLayerNormalization", i32, {}, 2, 2, {}, "1.15"},
    {"com.microsoft:QAttention com.microsoft:QLinearAdd com.microsoft:QLinearAveragePool "
     "com.microsoft:QLinearGlobalAveragePool com.microsoft:QLinearSigmoid com.microsoft:MatMulIntegerToFloat",
     i8 | u8,
     {},
     0,
     8,
     {},
     "1.15"},
    {"com.microsoft:QLinearConcat", f32, {}, 0, 0, {}, "1.15"},  // its first input is a scale
};
}  // namespace dml_table
inline constexpr provider_contract dml_contract{
    .name = "DmlExecutionProvider",
    .short_name = "dml",
    .sdk = "DirectML",
    .versions = dml_table::versions,
    .source = "github.com/microsoft/onnxruntime, docs/OperatorKernels.md at 001d12d; onnxruntime.ai, DirectML provider",
    .memory = {.space = "d3d12", .alignment = 256},
    .options =
        [] {
            return std::vector<contract_option>{
                {"device_id", "0", "integer"},
                {"performance_preference", "default", "default high_performance minimum_power"},
                {"device_filter", "gpu", "any gpu npu"},
                {"disable_metacommands", "false", "flag"}};
        },
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
