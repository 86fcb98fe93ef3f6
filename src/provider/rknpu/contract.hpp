// The nodes that the provider gives rknn-toolkit2, which its code checks by the rows for the newest version: written
// from what the compiler of 2.5.0 answered, operator by operator, and from what its simulator computed; of versions
// before, by the toolkit's release notes. Floats are computed with 16 bits.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/rknpu.hpp>

namespace inlay {
inline namespace v1 {
namespace rknpu_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"1.5.2", "1.6.0", "2.5.0"};
constexpr element_set tensor_types = f32 | i8 | u8;
constexpr capability operators[]{
    {"Conv ConvTranspose", f32, i8 | u8, 4, 4, {constant(1), constant(2)}},
    {"Gemm", f32, i8 | u8, 2, 2, {constant(1), constant(2)}},
    {"MatMul", f32, i8 | u8, 2, 4},
    {"AveragePool", f32, i8 | u8, 4, 4, {no_output(1), no_counted_padding()}},
    {"MaxPool GlobalAveragePool GlobalMaxPool", f32, i8 | u8, 4, 4, {no_output(1)}},
    {"BatchNormalization", f32, i8 | u8, 2, 4, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"InstanceNormalization", f32, {}, 3, 4, {constant(1), constant(2)}, "1.6.0"},
    {"LayerNormalization", f32, {}, 1, 4, {constant(1), constant(2), no_output(1)}, "1.6.0"},
    {"Abs Exp Floor Neg Relu LeakyRelu Sigmoid Tanh Elu HardSigmoid HardSwish Sqrt Identity Dropout",
     f32,
     i8 | u8,
     1,
     5,
     {constant(1), constant(2), no_output(1)}},  // of Dropout
    {"Erf", f32, {}, 1, 5, {}, "1.6.0"},
    {"PRelu", f32, i8 | u8, 2, 4, {constant(1)}},
    {"Clip", f32, i8 | u8, 1, 5, {constant(1), constant(2)}},
    {"Add Sub Mul Div Max Min Sum", f32, i8 | u8, 1, 5},
    {"Softmax LogSoftmax", f32, i8 | u8, 1, 4, {last_axis()}},
    {"ReduceMean ReduceSum ReduceMax ReduceMin", f32, i8 | u8, 1, 4, {constant(1), result_rank(1, 4)}},
    {"Concat Flatten Transpose", f32, i8 | u8, 1, 5},
    {"Reshape Squeeze Unsqueeze Split Gather Pad Slice",
     f32,
     i8 | u8,
     1,
     5,
     {constant(1), constant(2), constant(3), constant(4)}},
    {"DepthToSpace SpaceToDepth", f32, i8 | u8, 4, 4},
    {"Resize",
     f32,
     i8 | u8,
     4,
     4,
     {constant(1), constant(2), constant(3), text("mode", "nearest linear"), first_axes(2)}},
    {"DequantizeLinear", i8 | u8 | i32, {}, 0, 5, {constant(1), constant(2), equal("block_size", 0)}},
    {"QuantizeLinear", i8 | u8, {}, 0, 5, {constant(1), constant(2), equal("block_size", 0), equal("output_dtype", 0)}},
};
}  // namespace rknpu_table
inline constexpr provider_contract rknpu_contract{
    .name = "RknpuExecutionProvider",
    .short_name = "rknpu",
    .sdk = "rknn-toolkit2",
    .versions = rknpu_table::versions,
    .source = "rknn-toolkit2 2.5.0, queried operator by operator; its release notes",
    .memory = {.space = "host", .alignment = 64},
    .options = contract_options_of<rknpu>,
    .operators = rknpu_table::operators,
    .tensors = {.types = rknpu_table::tensor_types, .empty = false, .scalars = false},
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
