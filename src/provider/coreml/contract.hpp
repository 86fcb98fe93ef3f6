// What Core ML takes, by ONNX Runtime's page of its provider: models of specification 4 are neural networks, those of 7
// are ML programs.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace coreml_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"4", "7"};
constexpr element_set floats = f32 | f16;
constexpr capability operators[]{
    {"Conv", f32, {}, 3, 4, {constant(1), constant(2)}},
    {"Conv", floats, {}, 3, 5, {constant(1), constant(2)}, "7"},
    {"ConvTranspose", floats, {}, 3, 5, {constant(1), constant(2)}, "7"},
    {"Gemm", f32, {}, 2, 2, {constant(1)}},
    {"Gemm", floats, {}, 2, 2, {}, "7"},
    {"MatMul", f32, {}, 2, 5, {constant(1)}},
    {"MatMul", floats, {}, 1, 5, {}, "7"},
    {"AveragePool MaxPool", f32, {}, 4, 4, {no_output(1)}},
    {"AveragePool MaxPool", floats, {}, 3, 5, {no_output(1)}, "7"},
    {"GlobalAveragePool GlobalMaxPool", floats, {}, 4, 4},
    {"BatchNormalization", f32, {}, 2, 5, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"LRN", f32, {}, 3, 5},
    {"InstanceNormalization GroupNormalization LayerNormalization", floats, {}, 2, 5, {no_output(1)}, "7"},
    {"LeakyRelu Reciprocal Relu Sigmoid Sqrt Tanh", floats, {}, 0, 5},
    {"Elu Erf Exp Gelu Round Softplus Softsign HardSigmoid", floats, {}, 0, 5, {}, "7"},
    {"Clip", floats, {}, 0, 5, {known(1), known(2)}},
    {"PRelu", floats, {}, 1, 5, {constant(1)}},
    {"Add Sub Mul Div", floats, {}, 0, 5, {inputs(2, 2)}},
    {"Max Min", floats, {}, 0, 5, {inputs(2, 2)}, "7"},
    {"Pow", f32, {}, 0, 5},
    {"Softmax", floats, {}, 1, 5, {}, "7"},
    {"ReduceSum", floats, {}, 1, 5, {known(1)}},
    {"ReduceMean ReduceMax ReduceMin ReduceProd", floats, {}, 1, 5, {known(1)}, "7"},
    {"ArgMax", floats, {}, 1, 5, {equal("select_last_index", 0)}},
    {"Cast", floats | i32 | i64 | boolean, {}, 0, 5},
    {"Concat Flatten Squeeze Transpose", floats, {}, 0, 5},
    {"Reshape", floats, {}, 0, 5, {known(1)}},
    {"Unsqueeze", floats, {}, 0, 5, {known(1)}, "7"},
    {"Gather", floats | i64, {}, 1, 5, {rank(1, 1, 5)}},
    {"Shape", floats, {}, 0, 5, {equal("start", 0)}},
    {"Pad", f32, {}, 3, 5, {known(1), text("mode", "constant"), first_axes(2)}},
    {"Slice", floats, {}, 1, 5, {known(1), known(2), known(3), known(4)}},
    {"Split", floats, {}, 1, 5, {known(1)}, "7"},
    {"DepthToSpace", floats, {}, 4, 4, {text("mode", "DCR")}},
    {"Resize", floats, {}, 4, 4, {first_axes(2), text("mode", "nearest linear"), equal("antialias", 0)}},
    {"GridSample", floats, {}, 4, 4, {}, "7"},
};
}  // namespace coreml_table
inline constexpr provider_contract coreml_contract{
    .name = "CoreMLExecutionProvider",
    .short_name = "coreml",
    .sdk = "Core ML specification",
    .versions = coreml_table::versions,
    .source = "onnxruntime.ai, CoreML execution provider",
    .memory = {.space = "host", .alignment = 64},
    .options =
        [] {
            return std::vector<contract_option>{{"ModelFormat", "MLProgram", "MLProgram NeuralNetwork"},
                                                {"MLComputeUnits", "ALL", "ALL CPUOnly CPUAndGPU CPUAndNeuralEngine"},
                                                {"RequireStaticInputShapes", "0", "0 1"},
                                                {"EnableOnSubgraphs", "0", "0 1"},
                                                {"SpecializationStrategy", "Default", "Default FastPrediction"},
                                                {"ProfileComputePlan", "0", "0 1"},
                                                {"AllowLowPrecisionAccumulationOnGPU", "0", "0 1"},
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
