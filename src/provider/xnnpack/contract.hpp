// What XNNPACK takes of floats, as the rules beside this file ask; of 8 bits it goes by scales, which only the library
// tells.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/xnnpack.hpp>

namespace inlay {
inline namespace v1 {
namespace xnnpack_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"2022-02-16", "2024-11-08"};
constexpr capability operators[]{
    {"Conv", f32, {}, 4, 4, {constant(1), constant(2)}},
    {"ConvTranspose", f32, {}, 4, 4, {constant(1), constant(2)}},
    {"AveragePool", f32, {}, 4, 4, {equal("count_include_pad", 0), equal("dilations", 1)}},
    {"MaxPool", f32, {}, 4, 4, {no_output(1)}},
    {"GlobalAveragePool", f32, {}, 4, 4},
    {"MatMul", f32, {}, 2, 3, {constant(1), rank(1, 2, 2)}},
    {"Gemm", f32, {}, 2, 2, {constant(1), constant(2), equal("transA", 0)}},
    {"Abs Ceil Floor HardSwish HardSigmoid LeakyRelu Neg Relu Round Sigmoid Sqrt", f32, {}, 0, 6},
    {"Elu", f32, {}, 0, 6, {positive("alpha")}},
    {"Softmax", f32, {}, 1, 3, {last_axis()}},
    {"Clip", f32, {}, 0, 6, {known(1), known(2)}},
    {"PRelu", f32, {}, 4, 4, {constant(1)}},
    {"Add Div Max Min Mul Sub", f32, {}, 0, 4, {inputs(2, 2)}},
    {"Concat", f32, {}, 1, 4, {inputs(2, 4)}, "2024-11-08"},
    {"Flatten Reshape Squeeze Unsqueeze", f32, {}, 0, 6, {one_order()}},
    {"Identity", f32, {}, 0, 6},
    {"Dropout", f32, {}, 0, 6, {no_output(1)}},
    {"Pad", f32, {}, 1, 6, {known(1), text("mode", "constant")}},
    {"Resize Upsample",
     f32,
     {},
     4,
     4,
     {first_axes(2), text("mode", "- linear"),
      text("coordinate_transformation_mode", "half_pixel pytorch_half_pixel asymmetric align_corners"),
      equal("antialias", 0)}},
    {"DepthToSpace", f32, {}, 4, 4},
};
}  // namespace xnnpack_table
inline constexpr provider_contract xnnpack_contract{
    .name = xnnpack::name,
    .short_name = "xnnpack",
    .sdk = "XNNPACK",
    .versions = xnnpack_table::versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {},
    .options = contract_options_of<xnnpack>,
    .operators = xnnpack_table::operators,
    .costs = {.device = "a core of a server of 2023, with AVX2; docs/providers.md",
              .f32 = 44e9,
              .f16 = 44e9,
              .codes = 210e9,
              .memory = 12e9,
              .node = 2e-7,
              .region = 1e-6},
};
}  // namespace v1
}  // namespace inlay
