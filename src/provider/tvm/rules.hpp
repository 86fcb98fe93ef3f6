// What TVM gets: of the provider, and of plans where its libraries are not.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/tvm.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view tvm_versions[]{"0.27"};
namespace tvm_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
using enum arithmetic;
constexpr element_set numbers = f32 | i32 | i64, any = numbers | boolean;
constexpr functions maxima = these(pooling::max), means = these(pooling::average);
constexpr rule rules[]{
    {.of = kind::conv, .types = f32, .limits = {images}},
    {.of = kind::dense, .types = f32, .least_rank = 2},
    {.of = kind::matmul, .types = f32, .least_rank = 2},
    {.of = kind::pool, .functions = maxima, .types = f32, .limits = {images, no_indices}},
    {.of = kind::pool, .functions = means, .types = f32, .limits = {images, undilated, no_past_padding}},
    {.of = kind::softmax, .types = f32, .least_rank = 1},
    {.of = kind::layer_norm, .types = f32, .least_rank = 1},
    {.of = kind::reduce,
     .functions = these(reduction::max, reduction::mean, reduction::min, reduction::sum),
     .types = f32},
    {.of = kind::unary,
     .functions = these(abs, erf, exp, gelu, gelu_by_tanh, hard_sigmoid, hard_swish, leaky_relu, log, reciprocal, relu,
                        sigmoid, sqrt, swish, tanh),
     .types = f32},
    {.of = kind::unary, .functions = these(neg), .types = numbers},
    {.of = kind::unary, .functions = these(logical_not), .types = boolean},
    {.of = kind::clamp, .types = f32},
    {.of = kind::binary, .functions = these(add, sub, mul, arithmetic::max, arithmetic::min), .types = numbers},
    {.of = kind::binary, .functions = these(div, arithmetic::pow, prelu), .types = f32},
    {.of = kind::binary,
     .functions = these(greater, greater_or_equal, less, less_or_equal),
     .types = numbers,
     .results = boolean},
    {.of = kind::binary, .functions = these(equal), .types = any, .results = boolean},
    {.of = kind::binary, .functions = these(logical_and, logical_or), .types = boolean},
    {.of = kind::select, .types = any},
    {.of = kind::cast, .types = any},
    {.of = kind::broadcast, .types = any},
    {.of = kind::reshape, .types = any},
    {.of = kind::transpose, .types = any},
    {.of = kind::concat, .types = any, .least_rank = 1},
    {.of = kind::slice, .types = any},
    {.of = kind::pad, .types = f32, .limits = {with_a_constant}},
    {.of = kind::gather, .types = any, .least_rank = 1},
    {.of = kind::resize,
     .functions = these(resizing::interpolation::nearest),
     .types = f32,
     .limits = {images, spatial_factors}},
};
}  // namespace tvm_rule_table
inline constexpr lowering::rule_set tvm_rules{
    .library = "TVM",
    .rules = tvm_rule_table::rules,
    .tensors = {.most_bytes = 4 * (std::int64_t(1) << 30), .empty = false},  // indices are of 32 bits
};
inline constexpr provider_contract tvm_contract{
    .name = tvm::name,
    .short_name = "tvm",
    .sdk = "TVM",
    .versions = tvm_versions,
    .source = "the rules of Inlay's provider, checked against it",
    .memory = {},
    .options = contract_options_of<tvm>,
    .rules = &tvm_rules,
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
