// What the provider makes functions of the Arm Compute Library of.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/acl.hpp>

namespace inlay {
inline namespace v1 {
namespace acl_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"20.08"};
constexpr capability operators[]{
    {"Conv", f32, {}, 4, 4, {constant(1), constant(2)}},
    {"Gemm", f32, {}, 2, 2, {constant(1), constant(2), equal("transA", 0)}},
    {"MatMul", f32, {}, 2, 4, {constant(1), rank(1, 2, 2)}},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", f32, {}, 4, 4, {no_output(1), equal("dilations", 1)}},
    {"Abs Elu HardSigmoid HardSwish LeakyRelu Relu Sigmoid Tanh", f32, {}, 0, 6},
    {"Clip", f32, {}, 0, 6, {known(1), known(2)}},
    {"Add Sub Mul Div Max Min Sum", f32, {}, 0, 6},
    {"Softmax", f32, {}, 1, 4, {last_axis()}},
    {"BatchNormalization", f32, {}, 2, 6, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"LRN", f32, {}, 4, 4},
    {"Concat", f32, {}, 1, 4},
    {"Flatten Identity Reshape Squeeze Unsqueeze", f32, {}, 0, 6},
    {"Dropout", f32, {}, 0, 6, {no_output(1)}},
    {"Transpose", f32, {}, 1, 4},
};
}  // namespace acl_table
inline constexpr provider_contract acl_contract{
    .name = acl::name,
    .short_name = "acl",
    .sdk = "ACL",
    .versions = acl_table::versions,
    .source = "the rules of Inlay's provider; the library was not queried",
    .memory = {},
    .options = contract_options_of<acl>,
    .operators = acl_table::operators,
    .costs = {.device = "a Cortex-A76 core at 2.4 GHz, half of what it can multiply",
              .f32 = 19e9,
              .f16 = 38e9,
              .codes = 76e9,
              .memory = 8e9,
              .node = 2e-6,
              .region = 1e-6},
};
}  // namespace v1
}  // namespace inlay
