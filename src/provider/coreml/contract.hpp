// What Core ML takes. Models of specification 4 are neural networks, by ONNX Runtime's page of its provider
// (coreml_supported_ops.md of its repository, commit 424107a); those of 7 are ML programs: what the other page has
// (coreml_supported_mlprogram_ops.md, commit 04f568d), and what inlay::coreml writes, which is more and less.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace coreml_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"4", "7"};
constexpr element_set floats = f32 | f16, numbers = floats | i32 | i64, all = numbers | boolean;
constexpr capability operators[]{
    {"Conv", f32, {}, 3, 4, {constant(1), constant(2)}},
    {"Gemm", f32, {}, 2, 2, {constant(1)}},
    {"MatMul", f32, {}, 2, 5, {constant(1)}},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", f32, {}, 4, 4, {no_output(1)}},
    {"BatchNormalization", f32, {}, 3, 5, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"LRN", f32, {}, 3, 5},
    {"LeakyRelu Reciprocal Relu Sigmoid Sqrt Tanh", f32, {}, 0, 5},
    {"Clip", f32, {}, 0, 5, {known(1), known(2)}},
    {"PRelu", f32, {}, 1, 5, {constant(1)}},
    {"Add Sub Mul Div", f32, {}, 0, 5, {inputs(2, 2)}},
    {"Pow", f32, {}, 0, 5},
    {"ReduceSum", f32, {}, 1, 5, {known(1)}},
    {"ArgMax", f32, {}, 1, 5, {equal("select_last_index", 0)}},
    {"Cast", f32 | i32 | i64 | boolean, {}, 0, 5},
    {"Concat Flatten Squeeze Transpose", f32, {}, 0, 5},
    {"Reshape", f32, {}, 0, 5, {known(1)}},
    {"Gather", f32 | i64, {}, 1, 5, {rank(1, 1, 5)}},
    {"Shape", f32, {}, 0, 5, {equal("start", 0)}},
    {"Pad", f32, {}, 3, 5, {known(1), known(2), text("mode", "constant"), first_axes(2)}},
    {"Slice", f32, {}, 1, 5, {known(1), known(2), known(3), known(4)}},
    {"DepthToSpace", f32, {}, 4, 4, {text("mode", "DCR")}},
    {"Resize", f32, {}, 4, 4, {first_axes(2), text("mode", "nearest linear"), equal("antialias", 0)}},
    {"Conv", floats, {}, 3, 4, {constant(2)}, "7"},
    {"Conv ConvTranspose", floats, {}, 3, 5, {constant(1), constant(2)}, "7"},
    {"Gemm", floats, {}, 2, 2, {}, "7"},
    {"MatMul", floats, {}, 1, 5, {}, "7"},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", floats, {}, 3, 5, {no_output(1)}, "7"},
    {"BatchNormalization", floats, {}, 3, 5, {constant(1), constant(2), constant(3), constant(4), no_output(1)}, "7"},
    {"InstanceNormalization", floats, {}, 3, 4, {}, "7"},
    {"GroupNormalization LayerNormalization", floats, {}, 1, 5, {no_output(1)}, "7"},
    {"LRN", floats, {}, 3, 4, {}, "7"},
    {"Acos Asin Atan Atanh Ceil Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Reciprocal "
     "Relu Round Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh",
     floats,
     {},
     0,
     5,
     {},
     "7"},
    {"com.microsoft:QuickGelu", floats, {}, 0, 5, {}, "7"},
    {"Abs Neg Sign", numbers, {}, 0, 5, {}, "7"},
    {"Clip", floats, {}, 0, 5, {known(1), known(2)}, "7"},
    {"PRelu", floats, {}, 0, 5, {}, "7"},
    {"Add Sub Mul Max Min Sum", numbers, {}, 0, 5, {}, "7"},
    {"Div Pow", floats, {}, 0, 5, {}, "7"},
    {"Equal Greater GreaterOrEqual Less LessOrEqual", numbers, {}, 0, 5, {}, "7"},
    {"And Or Xor Not", boolean, {}, 0, 5, {}, "7"},
    {"Where", all, {}, 0, 5, {}, "7"},
    {"Softmax LogSoftmax", floats, {}, 0, 5, {}, "7"},
    {"ReduceMax ReduceMin ReduceProd ReduceSum", numbers, {}, 0, 5, {known(1)}, "7"},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceSumSquare", floats, {}, 0, 5, {known(1)}, "7"},
    {"ArgMax", floats, {}, 1, 5, {equal("select_last_index", 0)}, "7"},
    {"Cast Concat Expand Flatten Identity Reshape Shape Squeeze Tile Transpose Unsqueeze", all, {}, 0, 5, {}, "7"},
    {"Dropout", all, {}, 0, 5, {no_output(1)}, "7"},
    {"Range", floats | i32, {}, 0, 0, {}, "7"},
    {"Gather", numbers, {}, 1, 5, {result_rank(0, 5)}, "7"},
    {"GatherND", numbers, {}, 1, 5, {equal("batch_dims", 0)}, "7"},
    {"Split", all, {}, 1, 5, {known(1)}, "7"},
    {"Slice", all, {}, 1, 5, {known(1), known(2), known(3), known(4)}, "7"},
    {"Pad", floats, {}, 0, 5, {known(1), known(2), text("mode", "constant")}, "7"},
    {"DepthToSpace", floats, {}, 4, 4, {}, "7"},
    {"Resize", floats, {}, 4, 4, {first_axes(2), text("mode", "nearest linear"), equal("antialias", 0)}, "7"},
    {"Resize Upsample", floats, {}, 3, 3, {first_axes(1), text("mode", "nearest")}, "7"},
    {"Resize Upsample", floats, {}, 4, 4, {first_axes(2), text("mode", "nearest")}, "7"},
    {"Resize Upsample", floats, {}, 5, 5, {first_axes(3), text("mode", "nearest")}, "7"},
    {"GridSample", floats, {}, 4, 4, {}, "7"},
};
}  // namespace coreml_table
inline constexpr provider_contract coreml_contract{
    .name = "CoreMLExecutionProvider",
    .short_name = "coreml",
    .sdk = "Core ML specification",
    .versions = coreml_table::versions,
    .source = "github.com/microsoft/onnxruntime, its pages of the CoreML provider (424107a, 04f568d); inlay::coreml",
    .memory = {.space = "host", .alignment = 64},
    .options =
        [] {
            return std::vector<contract_option>{{"ModelFormat", "MLProgram", "MLProgram NeuralNetwork"},
                                                {"MLComputeUnits", "ALL",
                                                 "ALL CPUOnly CPUAndGPU CPUAndNeuralEngine CPU_ONLY CPU_AND_GPU "
                                                 "CPU_AND_NE"},
                                                {"RequireStaticInputShapes", "0", "flag"},
                                                {"EnableOnSubgraphs", "0", "flag"},
                                                {"SpecializationStrategy", "Default", "Default FastPrediction"},
                                                {"ProfileComputePlan", "0", "flag"},
                                                {"AllowLowPrecisionAccumulationOnGPU", "0", "flag"},
                                                {"ModelCacheDirectory", "", "text"}};
        },
    .operators = coreml_table::operators,
    .costs = {.device = "an Apple M2's Neural Engine (15.8 TOPS), a third of its data sheet's rate",
              .f32 = 5e12,
              .f16 = 5e12,
              .codes = 5e12,
              .memory = 80e9,
              .node = 1e-6,
              .region = 2e-4},
};
}  // namespace v1
}  // namespace inlay
