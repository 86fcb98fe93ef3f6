// What Android's Neural Networks API takes, by its levels (android.com/ndk, Neural Networks, operation codes and the
// level that each came with): of the provider, and of plans where its library is not.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/nnapi.hpp>
#include <charconv>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view nnapi_versions[]{"27", "28", "29", "30", "31", "1000006"};
// "Android 10 (feature level 29)"
inline std::string nnapi_level_text(std::string_view text) {
    constexpr int counted_anew = 1'000'000;  // behind 31, which is the fifth
    constexpr std::string_view versions[] = {"8.1", "9", "10", "11", "12"};
    int level = 0;
    std::from_chars(text.data(), text.data() + text.size(), level);
    const std::string number = "feature level " + std::to_string(level > counted_anew ? level - counted_anew : level);
    return level >= 27 && level <= 31 ? "Android " + std::string(versions[level - 27]) + " (" + number + ")" : number;
}
namespace nnapi_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
constexpr element_set bytes = u8 | i8;
constexpr scale_rule same = scale_rule::same;
constexpr rule rules[]{
    {.of = kind::conv,
     .types = f32,
     .quantized = bytes,
     .limits = {images, constant_weights, until("29", undilated), dilation_or_groups, until("29", channels_or_one)}},
    {.of = kind::deconv,
     .since = "29",
     .types = f32,
     .limits = {images, constant_weights, one_group, undilated, no_more_zeros}},
    {.of = kind::dense, .types = f32, .quantized = bytes, .limits = {rows_only, constant_weights}},
    {.of = kind::matmul, .since = "1000006", .types = f32, .limits = {equal_batches}},
    {.of = kind::pool,
     .types = f32,
     .quantized = bytes,
     .scale = same,
     .limits = {no_indices, images, undilated, no_window_in_padding, no_counted_padding}},
    {.of = kind::reduce, .functions = these(reduction::mean), .since = "28", .types = f32},
    {.of = kind::reduce,
     .functions = these(reduction::max, reduction::min, reduction::prod, reduction::sum),
     .since = "29",
     .types = f32},
    {.of = kind::softmax,
     .functions = these(0),
     .types = f32,
     .quantized = bytes,
     .scale = scale_rule::unit,
     .limits = {rows_only, until("29", last_axis)}},
    {.of = kind::softmax, .functions = these(1), .since = "29", .types = f32, .limits = {rows_only}},
    {.of = kind::instance_norm, .since = "29", .types = f32, .limits = {images}},
    {.of = kind::lrn, .types = f32, .limits = {images, odd_window}, .order = order_rule::channels_last},
    {.of = kind::unary, .functions = these(function::relu), .types = f32, .quantized = bytes, .scale = same},
    {.of = kind::unary,
     .functions = these(function::sigmoid),
     .types = f32,
     .quantized = bytes,
     .scale = scale_rule::unit},
    {.of = kind::unary,
     .functions = these(function::tanh),
     .types = f32,
     .quantized = bytes,
     .scale = scale_rule::both_signs},
    {.of = kind::unary, .functions = these(function::floor), .types = f32},
    {.of = kind::unary,
     .functions = these(function::abs, function::exp, function::log, function::neg, function::sin, function::sqrt),
     .since = "29",
     .types = f32},
    {.of = kind::unary, .functions = these(function::elu), .since = "30", .types = f32, .limits = {positive}},
    {.of = kind::unary, .functions = these(function::hard_swish), .since = "30", .types = f32},
    {.of = kind::clamp, .types = f32, .limits = {bounds(0, no_bound)}},
    {.of = kind::clamp, .types = f32, .limits = {bounds(0, 6)}},
    {.of = kind::clamp, .types = f32, .limits = {bounds(-1, 1)}},
    {.of = kind::binary, .functions = these(arithmetic::add), .types = f32, .quantized = bytes},
    {.of = kind::binary,
     .functions = these(arithmetic::mul),
     .types = f32,
     .quantized = bytes,
     .scale = scale_rule::of_products},
    {.of = kind::binary, .functions = these(arithmetic::sub), .since = "28", .types = f32, .quantized = bytes},
    {.of = kind::binary, .functions = these(arithmetic::div), .since = "28", .types = f32},
    {.of = kind::binary,
     .functions = these(arithmetic::max, arithmetic::min),
     .since = "29",
     .types = f32,
     .quantized = bytes},
    {.of = kind::binary, .functions = these(arithmetic::pow), .since = "29", .types = f32},
    {.of = kind::binary, .functions = these(arithmetic::prelu), .since = "29", .types = f32, .limits = {first_shape}},
    {.of = kind::reshape, .types = f32, .quantized = bytes, .scale = same},
    {.of = kind::transpose, .since = "28", .types = f32, .quantized = bytes, .scale = same},
    {.of = kind::concat, .types = f32, .quantized = bytes},
    {.of = kind::slice, .since = "28", .types = f32, .limits = {forwards}},
    {.of = kind::pad, .since = "28", .types = f32, .limits = {with_a_constant, no_cut, until("29", zeros)}},
    {.of = kind::gather, .since = "29", .types = f32, .limits = {known_places}},
    {.of = kind::blocks, .types = f32, .quantized = bytes, .scale = same, .limits = {images, depth_first}},
    {.of = kind::resize,
     .functions = these(resizing::interpolation::nearest),
     .since = "29",
     .types = f32,
     .quantized = bytes,
     .scale = same,
     .limits = {images, places_below}},
    {.of = kind::resize,
     .functions = these(resizing::interpolation::linear, resizing::interpolation::cubic),
     .types = f32,
     .quantized = bytes,
     .scale = same,
     .limits = {images, places_below, until("30", first_pixels)}},
    {.of = kind::quantize, .since = "29", .types = f32, .quantized = bytes},
    {.of = kind::dequantize, .types = f32, .quantized = bytes},
};
}  // namespace nnapi_rule_table
inline constexpr lowering::rule_set nnapi_rules{
    .library = "NNAPI",
    .rules = nnapi_rule_table::rules,
    .tensors = {.most_rank = 4,
                .most_bytes = std::numeric_limits<std::int32_t>::max(),  // counted in 32 bits
                .empty = false,
                .int8 = "30"},
    .quantized = "29",  // earlier levels have no QUANTIZE, and other rules
    .version_text = nnapi_level_text,
};
inline constexpr provider_contract nnapi_contract{
    .name = "NnapiExecutionProvider",
    .short_name = "nnapi",
    .sdk = "Android API level",
    .versions = nnapi_versions,
    .source = "developer.android.com/ndk/reference, Neural Networks, and what the provider makes of its operations",
    .memory = {.space = "host", .alignment = 64},
    .options = contract_options_of<nnapi>,
    .rules = &nnapi_rules,
    .costs = {.device = "the accelerator of a telephone of 2021 (15 TOPS), a tenth of its data sheet's rate",
              .f32 = 0.3e12,
              .f16 = 0.6e12,
              .codes = 1.5e12,
              .memory = 15e9,
              .node = 1e-5,
              .region = 1e-3},
};
}  // namespace v1
}  // namespace inlay
