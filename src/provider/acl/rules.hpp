// What the provider makes functions of the Arm Compute Library of. The provider queries these functions too.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/acl.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view acl_versions[]{"20.08"};
namespace acl_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
constexpr functions pairs = these(arithmetic::add, arithmetic::sub, arithmetic::mul, arithmetic::div, arithmetic::max,
                                  arithmetic::min, arithmetic::prelu);
constexpr rule rules[]{
    {.of = kind::conv, .types = f32, .limits = {images, constant_weights}},
    {.of = kind::deconv, .types = f32, .limits = {images, constant_weights, one_group, undilated, no_more_zeros}},
    {.of = kind::dense, .types = f32, .limits = {rows_only, constant_weights}},
    {.of = kind::matmul, .types = f32, .least_rank = 2, .limits = {equal_batches}},
    {.of = kind::pool, .types = f32, .limits = {images, undilated, no_indices, no_window_in_padding}},
    {.of = kind::reduce,
     .functions = these(reduction::max, reduction::mean, reduction::min, reduction::prod, reduction::sum),
     .types = f32,
     .most_rank = 4},
    {.of = kind::softmax, .types = f32, .limits = {rows_only}},
    {.of = kind::affine, .types = f32, .limits = {constant_weights}},
    {.of = kind::instance_norm, .types = f32, .limits = {images}},
    {.of = kind::lrn, .types = f32, .limits = {images, odd_window}},
    {.of = kind::unary,
     .functions = these(abs, elu, exp, hard_sigmoid, hard_swish, leaky_relu, neg, relu, round, sigmoid, sqrt, tanh),
     .types = f32},
    {.of = kind::clamp, .types = f32},
    {.of = kind::binary, .functions = pairs, .types = f32},
    {.of = kind::reshape, .types = f32 | i32},
    {.of = kind::transpose, .types = f32, .most_rank = 4},
    {.of = kind::concat, .types = f32 | i32, .least_rank = 1, .most_rank = 4},
    {.of = kind::slice, .types = f32, .least_rank = 1, .most_rank = 4, .limits = {forwards}},
    {.of = kind::pad, .types = f32, .most_rank = 4, .limits = {with_a_constant, no_cut}},
    {.of = kind::gather, .types = f32, .most_rank = 4, .limits = {known_places}},
    {.of = kind::blocks, .types = f32, .limits = {images, depth_first}},
    {.of = kind::resize, .types = f32, .limits = {images, places_below}},
    {.of = kind::arg, .types = f32, .results = i32, .limits = {first_of_equals}},
    {.of = kind::cast,
     .functions = these(element::i64),
     .types = i32,
     .results = i64},  // by the host, where a region ends
};
}  // namespace acl_rule_table
inline constexpr lowering::rule_set acl_rules{
    .library = "ACL",
    .rules = acl_rule_table::rules,
    .tensors = {.most_rank = 6,
                .most_bytes = std::numeric_limits<std::int32_t>::max(),  // counted in 32 bits
                .empty = false,
                .short_places = true},
    .images = layout::plain,
};
inline constexpr provider_contract acl_contract{
    .name = acl::name,
    .short_name = "acl",
    .sdk = "ACL",
    .versions = acl_versions,
    .source = "the rules of Inlay's provider; the library was not queried",
    .memory = {},
    .options = contract_options_of<acl>,
    .rules = &acl_rules,
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
