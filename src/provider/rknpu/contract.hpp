// What Rockchip's NPUs take: by ONNX Runtime's page of its provider (DDK), and by the release notes of rknn-toolkit2,
// whose compiler takes opset 12 to 19. Floats are computed with 16 bits.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace rknpu_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"ddk", "1.5.2", "1.6.0", "2.5.0"};
constexpr element_set floats = f32 | f16;
constexpr capability operators[]{
    {"Conv", floats, u8 | i8, 4, 4, {constant(1), constant(2)}},
    {"QLinearConv", u8 | i8, {}, 4, 4, {constant(3)}},
    {"ConvTranspose", floats, i8, 4, 4, {constant(1), constant(2)}, "1.5.2"},
    {"Gemm", floats, u8 | i8, 2, 2, {constant(1)}},
    {"MatMul", floats, i8, 2, 4, {}, "1.5.2"},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", floats, u8 | i8, 4, 4, {no_output(1)}},
    {"BatchNormalization", floats, i8, 2, 4, {no_output(1)}},
    {"LayerNormalization InstanceNormalization", floats, {}, 2, 4, {no_output(1)}, "1.6.0"},
    {"Relu LeakyRelu", floats, u8 | i8, 1, 4},
    {"Sigmoid Tanh Elu HardSigmoid HardSwish PRelu", floats, i8, 1, 4, {}, "1.5.2"},
    {"Gelu Erf", floats, {}, 1, 4, {}, "1.6.0"},
    {"Clip", floats, u8 | i8, 1, 4, {known(1), known(2)}},
    {"Add Sub Mul", floats, u8 | i8, 0, 4, {inputs(2, 2)}},
    {"Div Max Min", floats, i8, 0, 4, {inputs(2, 2)}, "1.5.2"},
    {"Softmax", floats, u8 | i8, 1, 4},
    {"ReduceMean ReduceSum ReduceMax ReduceMin", floats, i8, 1, 4, {known(1)}, "1.5.2"},
    {"ReduceL2", floats, {}, 1, 4, {known(1)}, "1.6.0"},
    {"GRU LSTM", floats, {}, 3, 3, {}, "1.5.2"},
    {"Concat Reshape Flatten Squeeze Unsqueeze Transpose", floats, u8 | i8, 0, 4},
    {"Gather Pad Slice Split Identity", floats, i8, 1, 4, {known(1), known(2), known(3)}, "1.5.2"},
    {"DepthToSpace SpaceToDepth", floats, i8, 4, 4, {}, "1.5.2"},
    {"Resize", floats, i8, 4, 4, {first_axes(2), text("mode", "nearest linear")}, "1.5.2"},
    {"DequantizeLinear", u8 | i8 | i32, {}, 0, 4, {constant(1), constant(2)}},
    {"QuantizeLinear", u8 | i8, {}, 0, 4, {constant(1), constant(2)}, "1.5.2"},
};
}  // namespace rknpu_table
inline constexpr provider_contract rknpu_contract{
    .name = "RknpuExecutionProvider",
    .short_name = "rknpu",
    .sdk = "rknn-toolkit2",
    .versions = rknpu_table::versions,
    .source = "onnxruntime.ai, RKNPU execution provider; release notes of rockchip-linux/rknn-toolkit2",
    .memory = {.space = "host", .alignment = 64},
    .options = [] { return std::vector<contract_option>{}; },
    .operators = rknpu_table::operators,
    .costs = {.device = "an RK3588 (6 TOPS), a third of its data sheet's rate",
              .f32 = 0.8e12,
              .f16 = 0.8e12,
              .codes = 2e12,
              .memory = 10e9,
              .node = 1e-5,
              .region = 5e-4},
};
}  // namespace v1
}  // namespace inlay
