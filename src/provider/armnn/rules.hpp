// What the provider makes layers of Arm NN of, and the backends CpuRef and CpuAcc take. The provider queries the
// backends too.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/armnn.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view armnn_versions[]{"20.08"};
namespace armnn_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
constexpr functions of_floats =
    these(arithmetic::sub, arithmetic::mul, arithmetic::div, arithmetic::max, arithmetic::min, arithmetic::prelu);
constexpr rule rules[]{
    {.of = kind::conv, .types = f32, .limits = {images, constant_weights}},
    {.of = kind::deconv, .types = f32, .limits = {images, constant_weights, one_group, undilated, no_more_zeros}},
    {.of = kind::dense, .types = f32, .limits = {rows_only, constant_weights}},
    {.of = kind::pool, .types = f32, .limits = {images, undilated, no_indices, no_window_in_padding, no_past_padding}},
    {.of = kind::reduce, .functions = these(reduction::mean), .types = f32, .most_rank = 4},
    {.of = kind::softmax, .types = f32, .limits = {rows_only}},
    {.of = kind::instance_norm, .types = f32, .limits = {images}},
    {.of = kind::lrn, .types = f32, .limits = {images, odd_window}},
    {.of = kind::unary,
     .functions = these(abs, elu, exp, floor, hard_sigmoid, hard_swish, leaky_relu, neg, relu, sigmoid, sqrt, tanh),
     .types = f32,
     .most_rank = 4},
    {.of = kind::clamp, .types = f32, .most_rank = 4},
    {.of = kind::binary, .functions = these(arithmetic::add), .types = f32 | i32, .most_rank = 4},
    {.of = kind::binary, .functions = of_floats, .types = f32, .most_rank = 4},
    {.of = kind::reshape, .types = f32 | i32},
    {.of = kind::transpose, .types = f32},
    {.of = kind::concat, .types = f32 | i32, .least_rank = 1},
    {.of = kind::split, .types = f32, .least_rank = 1, .most_rank = 4},
    {.of = kind::slice, .types = f32, .least_rank = 1, .most_rank = 4, .limits = {forwards}},
    {.of = kind::pad, .types = f32, .most_rank = 4, .limits = {with_a_constant, no_cut}},
    {.of = kind::gather, .types = f32, .limits = {known_places}},
    {.of = kind::blocks, .types = f32, .limits = {images, depth_first}},
    {.of = kind::resize, .types = f32, .limits = {images, places_below}},
    {.of = kind::arg, .types = f32, .results = i32, .limits = {first_of_equals}},
    {.of = kind::cast,
     .functions = these(element::i64),
     .types = i32,
     .results = i64},  // by the host, where a region ends
};
}  // namespace armnn_rule_table
inline constexpr lowering::rule_set armnn_rules{
    .library = "Arm NN",
    .rules = armnn_rule_table::rules,
    .tensors = {.most_rank = 5,
                .most_bytes = std::numeric_limits<std::uint32_t>::max(),  // counted in 32 bits
                .empty = false,
                .short_places = true},
    .images = layout::plain,
};
inline constexpr provider_contract armnn_contract{
    .name = armnn::name,
    .short_name = "armnn",
    .sdk = "Arm NN",
    .versions = armnn_versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {},
    .options = contract_options_of<armnn>,
    .rules = &armnn_rules,
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
