// What the provider lowers for TVM: the list is that of operators.cpp.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/tvm.hpp>

namespace inlay {
inline namespace v1 {
namespace tvm_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"0.27"};
constexpr element_set numbers = f32 | i32 | i64, all = numbers | boolean;
constexpr capability operators[]{
    {"Conv", f32, {}, 4, 4, {constant(1)}},
    {"MatMul", f32, {}, 2, max_rank, {rank(1, 2, max_rank)}},
    {"Gemm", f32},
    {"MaxPool AveragePool GlobalAveragePool GlobalMaxPool", f32, {}, 4, 4, {no_output(1)}},
    {"Softmax", f32, {}, 1, max_rank, {last_axis()}},
    {"LayerNormalization", f32, {}, 1, max_rank, {no_output(1), no_output(2)}},
    {"ReduceMean ReduceSum ReduceMax ReduceMin", f32, {}, 0, max_rank, {known(1)}},
    {"Relu LeakyRelu PRelu Sigmoid HardSigmoid HardSwish Tanh Erf Gelu Exp Log Sqrt Reciprocal", f32},
    {"Neg", numbers},
    {"Clip", f32, {}, 0, max_rank, {known(1), known(2)}},
    {"Add Sub Mul Max Min Sum", numbers, {}, 0, max_rank, {inputs(1, 2)}},
    {"Div Pow", f32, {}, 0, max_rank, {inputs(2, 2)}},
    {"Greater Less GreaterOrEqual LessOrEqual", numbers},
    {"Equal And Or Not Where Cast Expand Identity Reshape Flatten Squeeze Unsqueeze Transpose Concat Gather", all},
    {"Slice", all, {}, 0, max_rank, {known(1), known(2), known(3), known(4)}},
    {"Split", all, {}, 0, max_rank, {known(1)}},
};
}  // namespace tvm_table
inline constexpr provider_contract tvm_contract{
    .name = tvm::name,
    .short_name = "tvm",
    .sdk = "TVM",
    .versions = tvm_table::versions,
    .source = "the rules of Inlay's provider, checked against it",
    .memory = {},
    .options = contract_options_of<tvm>,
    .operators = tvm_table::operators,
    .costs = {.device = "a core of a server of 2023, with AVX2; docs/reference/providers/index.md",
              .f32 = 40e9,
              .f16 = 40e9,
              .codes = 40e9,
              .memory = 12e9,
              .node = 1e-7,
              .region = 1e-6},
};
}  // namespace v1
}  // namespace inlay
