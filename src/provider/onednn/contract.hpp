// What oneDNN takes of floats, as the rules beside this file ask it; quantised nodes go by its graph's partitions,
// which only the library itself tells.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/onednn.hpp>

namespace inlay {
inline namespace v1 {
namespace onednn_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"3.2"};
constexpr capability operators[]{
    {"Conv ConvTranspose", f32, {}, 3, 5},
    {"Gemm MatMul", f32, {}, 1},
    {"AveragePool MaxPool GlobalAveragePool GlobalMaxPool", f32, {}, 3, 5, {no_output(1)}},
    {"BatchNormalization", f32, {}, 2, 5, {no_output(1)}},
    {"LayerNormalization", f32, {}, 2, 5, {no_output(1)}},
    {"LRN", f32, {}, 3, 5},
    {"Softmax LogSoftmax", f32, {}, 1, 6},
    {"ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare",
     f32,
     {},
     1,
     6,
     {known(1)}},
    {"Abs Exp HardSigmoid HardSwish LeakyRelu Log Mish Neg Reciprocal Relu Round Sigmoid Softplus Sqrt Tanh Elu Gelu",
     f32,
     {},
     0,
     6},
    {"Clip", f32, {}, 0, 6, {known(1), known(2)}},
    {"Pow", f32, {}, 0, 6, {known(1)}},
    {"Add Div Max Min Mul Sub Sum", f32, {}, 0, 6, {inputs(2, 1 << 20), one_broadcasts()}},
    {"PRelu", f32, {}, 0, 6},
    {"Resize",
     f32,
     {},
     3,
     5,
     {first_axes(2), text("mode", "nearest"), text("coordinate_transformation_mode", "half_pixel asymmetric"),
      equal("antialias", 0)}},
    {"Resize",
     f32,
     {},
     3,
     5,
     {first_axes(2), text("mode", "- linear"), text("coordinate_transformation_mode", "half_pixel"),
      equal("antialias", 0)}},
    {"Upsample", f32, {}, 3, 5, {first_axes(2), text("mode", "nearest")}},
    {"Concat DepthToSpace SpaceToDepth Flatten Identity Reshape Squeeze Unsqueeze Transpose", f32, {}, 0, 6},
    {"Dropout", f32, {}, 0, 6, {no_output(1)}},
    {"Slice", f32, {}, 1, 6, {known(1), known(2), known(3), values(4, 1, 1)}},
    {"Split", f32, {}, 1, 6, {known(1)}},
};
}  // namespace onednn_table
inline constexpr provider_contract onednn_contract{
    .name = onednn::name,
    .short_name = onednn::short_name,
    .sdk = "oneDNN",
    .versions = onednn_table::versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {},
    .options = contract_options_of<onednn>,
    .operators = onednn_table::operators,
    .costs = {.device = "a core of a server of 2023, with AVX2; docs/reference/providers/index.md",
              .f32 = 74e9,
              .f16 = 74e9,
              .codes = 180e9,
              .memory = 12e9,
              .node = 5e-7,
              .region = 2e-6},
};
}  // namespace v1
}  // namespace inlay
