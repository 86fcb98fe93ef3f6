// What XNNPACK takes, by its versions: of the provider, and of plans where its library is not. In 8 bits the library
// also goes by scales, about which the provider queries it.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/xnnpack.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view xnnpack_versions[]{"2022-02-16", "2024-11-08"};
namespace xnnpack_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
using enum arithmetic;
constexpr element_set bytes = u8 | i8;
constexpr scale_rule same = scale_rule::same;
constexpr functions maxima = these(pooling::max), means = these(pooling::average);
constexpr rule rules[]{
    {.of = kind::conv, .types = f32, .quantized = bytes, .limits = {images, constant_weights, symmetric_weights}},
    {.of = kind::deconv, .types = f32, .limits = {images, constant_weights, zeros_below_stride}},
    {.of = kind::dense,
     .types = f32,
     .quantized = bytes,
     .least_rank = 2,
     .most_rank = 3,
     .limits = {constant_weights, symmetric_weights, one_scale}},
    {.of = kind::pool,
     .functions = maxima,
     .types = f32,
     .quantized = bytes,
     .scale = same,
     .limits = {images, two_elements, no_indices}},
    {.of = kind::pool, .functions = means, .types = f32, .quantized = bytes, .limits = {images, whole_image}},
    {.of = kind::pool,
     .functions = means,
     .types = f32,
     .limits = {images, two_elements, undilated, no_counted_padding}},
    {.of = kind::softmax, .functions = these(0), .types = f32, .limits = {last_axis}, .order = order_rule::images},
    {.of = kind::unary, .functions = these(relu), .types = f32, .quantized = bytes, .scale = same},
    {.of = kind::unary,
     .functions = these(abs, ceil, floor, hard_swish, leaky_relu, neg, round, sigmoid, sqrt),
     .types = f32},
    {.of = kind::unary, .functions = these(elu), .types = f32, .limits = {positive}},
    {.of = kind::clamp, .types = f32, .quantized = bytes, .scale = same, .limits = {apart}},
    {.of = kind::binary, .functions = these(add, mul, sub), .types = f32, .quantized = bytes},
    {.of = kind::binary, .functions = these(div, arithmetic::max, arithmetic::min), .types = f32},
    {.of = kind::binary, .functions = these(prelu), .types = f32, .least_rank = 1, .limits = {channel_slopes}},
    {.of = kind::reshape, .types = f32, .quantized = bytes, .scale = same},
    {.of = kind::concat, .since = "2024-11-08", .types = f32, .least_rank = 1, .limits = {counts(2, 5)}},
    {.of = kind::pad, .types = f32, .limits = {with_a_constant, no_cut}},
    {.of = kind::blocks, .functions = these(0), .types = f32, .limits = {images, depth_first}},
    {.of = kind::resize,
     .functions = these(resizing::interpolation::linear, resizing::interpolation::cubic),
     .types = f32,
     .limits = {images, places_below}},
    {.of = kind::quantize, .types = f32, .quantized = bytes},
    {.of = kind::dequantize, .types = f32, .quantized = bytes},
};
}  // namespace xnnpack_rule_table
inline constexpr lowering::rule_set xnnpack_rules{
    .library = "XNNPACK",
    .rules = xnnpack_rule_table::rules,
    .tensors = {.most_rank = 6,
                .most_bytes = 4 * std::int64_t(std::numeric_limits<std::int32_t>::max()),
                .empty = false,
                .mixes_codes = true},
    .ends = layout::channels_last,
    .leaves_dequantized = true,
};
inline constexpr provider_contract xnnpack_contract{
    .name = xnnpack::name,
    .short_name = "xnnpack",
    .sdk = "XNNPACK",
    .versions = xnnpack_versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {},
    .options = contract_options_of<xnnpack>,
    .rules = &xnnpack_rules,
    .costs = {.device = "a core of a server of 2023, with AVX2; docs/reference/providers/index.md",
              .f32 = 44e9,
              .f16 = 44e9,
              .codes = 210e9,
              .memory = 12e9,
              .node = 2e-7,
              .region = 1e-6},
};
}  // namespace v1
}  // namespace inlay
