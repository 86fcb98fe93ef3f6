// What the provider makes layers of Arm NN of, and the backends CpuRef and CpuAcc take.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/armnn.hpp>

namespace inlay {
inline namespace v1 {
namespace armnn_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"20.08"};
constexpr capability operators[]{
    {"Conv", f32, {}, 4, 4, {constant(1), constant(2)}},
    {"ConvTranspose", f32, {}, 4, 4, {constant(1), constant(2), equal("group", 1), equal("dilations", 1)}},
    {"Gemm", f32, {}, 2, 2, {constant(1), constant(2), equal("transA", 0)}},
    {"MatMul", f32, {}, 2, 4, {constant(1), rank(1, 2, 2)}},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", f32, {}, 4, 4, {no_output(1), equal("dilations", 1)}},
    {"ReduceMean", f32, {}, 1, 4, {known(1)}},
    {"Abs Elu Exp Floor HardSigmoid HardSwish LeakyRelu Neg Relu Sigmoid Sqrt Tanh", f32, {}, 0, 4},
    {"Clip", f32, {}, 0, 4, {known(1), known(2)}},
    {"Add", f32 | i32, {}, 0, 4},
    {"Sub Mul Div Max Min Sum PRelu", f32, {}, 0, 4},
    {"Softmax LogSoftmax", f32, {}, 1, 4},
    {"BatchNormalization", f32, {}, 2, 4, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"InstanceNormalization", f32, {}, 3, 4},
    {"LRN", f32, {}, 4, 4},
    {"DepthToSpace", f32, {}, 4, 4, {text("mode", "DCR")}},
    {"SpaceToDepth", f32, {}, 4, 4},
    {"Gather", f32, {}, 1, 5, {known(1)}},
    {"Concat", f32 | i32, {}, 0, 5},
    {"Flatten Identity Reshape Squeeze Unsqueeze Transpose", f32, {}, 0, 5},
    {"Dropout", f32, {}, 0, 5, {no_output(1)}},
    {"Slice", f32, {}, 1, 4, {known(1), known(2), known(3), known(4)}},
    {"Split", f32, {}, 1, 4, {known(1)}},
    {"Pad", f32, {}, 1, 4, {known(1), text("mode", "constant")}},
    {"Resize Upsample", f32, {}, 4, 4, {first_axes(2), text("mode", "nearest linear"), equal("antialias", 0)}},
    {"ArgMax ArgMin", f32, {}, 1, 4, {equal("select_last_index", 0)}},
};
}  // namespace armnn_table
inline constexpr provider_contract armnn_contract{
    .name = armnn::name,
    .short_name = "armnn",
    .sdk = "Arm NN",
    .versions = armnn_table::versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {},
    .options = contract_options_of<armnn>,
    .operators = armnn_table::operators,
    .costs = {.device = "a Cortex-A76 core at 2.4 GHz, half of what it can multiply",
              .f32 = 19e9,
              .f16 = 38e9,
              .codes = 76e9,
              .memory = 8e9,
              .node = 2e-6,
              .region = 2e-6},
};
}  // namespace v1
}  // namespace inlay
