// What the DPU DPUCZDX8G (ISA1, B4096) takes: Vitis AI User Guide UG1414 3.0, "Currently Supported Operators", and the
// device's description in Vitis AI 3.5 (target_factory, DPUCZDX8G_ISA1_B4096), which the compiler reads: its engine of
// convolutions, and that of depthwise ones and pools. Vitis AI 2.5 is what Debian's libraries are of. And what XIR has
// of operations on floats, for the mode `ref`. Whether a bias has 8 bits, which its numbers tell, the module says.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/vitisai.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view vitisai_versions[]{"2.5", "3.0", "3.5"};
namespace vitisai_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
constexpr scale_rule same = scale_rule::same;
constexpr functions maxima = these(pooling::max), means = these(pooling::average);
constexpr limit sizes_of_pools = window_sizes(256, 256);
constexpr rule on_dpu[]{
    {.of = kind::conv,
     .quantized = i8,
     .limits = {images, constant_weights, one_group, window_sizes(16, 8), kernel_fits(16, 2048)}},
    {.of = kind::conv, .quantized = i8, .limits = {images, constant_weights, depthwise, window_sizes(256, 256)}},
    {.of = kind::deconv,
     .quantized = i8,
     .limits = {images, constant_weights, one_group, undilated, no_more_zeros, window_sizes(16, 16)}},
    {.of = kind::dense, .quantized = i8, .limits = {rows_only, constant_weights}},
    {.of = kind::pool,
     .functions = maxima,
     .quantized = i8,
     .scale = same,
     .limits = {images, undilated, no_indices, no_window_in_padding, sizes_of_pools}},
    {.of = kind::pool,
     .functions = means,
     .quantized = i8,
     .limits = {images, undilated, no_window_in_padding, no_past_padding, counted_padding, sizes_of_pools}},
    {.of = kind::reduce, .functions = these(reduction::max), .quantized = i8, .scale = same},
    {.of = kind::reduce, .functions = these(reduction::mean), .quantized = i8},
    {.of = kind::unary, .functions = these(relu, hard_swish), .quantized = i8},
    {.of = kind::unary, .functions = these(leaky_relu), .quantized = i8, .limits = {factors(26.f / 256, 0)}},
    {.of = kind::unary, .functions = these(hard_sigmoid), .quantized = i8, .limits = {factors(1.f / 6, 0.5f)}},
    {.of = kind::clamp, .quantized = i8, .limits = {bounds(0, 6)}},
    {.of = kind::clamp, .quantized = i8, .limits = {bounds(0, no_bound)}},
    {.of = kind::binary,
     .functions = these(arithmetic::add, arithmetic::mul),
     .quantized = i8,
     .limits = {no_broadcast}},
    {.of = kind::binary,
     .functions = these(arithmetic::prelu),
     .since = "3.5",
     .quantized = i8,
     .least_rank = 4,
     .most_rank = 4,
     .limits = {channel_slopes}},
    {.of = kind::reshape, .quantized = i8, .scale = same},
    {.of = kind::transpose, .quantized = i8, .scale = same},
    {.of = kind::concat, .quantized = i8, .least_rank = 1},
    {.of = kind::slice, .since = "3.5", .quantized = i8, .scale = same, .least_rank = 1, .limits = {forwards}},
    {.of = kind::pad, .quantized = i8, .scale = same, .limits = {with_a_constant, no_cut}},
    {.of = kind::resize, .quantized = i8, .limits = {images, places_below, whole_scales}},
    {.of = kind::dequantize, .types = f32, .quantized = i8},  // by the host, where a region ends
};
constexpr rule by_xir[]{
    {.of = kind::conv, .types = f32, .limits = {images, constant_weights, one_group}},
    {.of = kind::conv, .types = f32, .limits = {images, constant_weights, depthwise}},
    {.of = kind::deconv, .types = f32, .limits = {images, constant_weights, one_group, undilated, no_more_zeros}},
    {.of = kind::dense, .types = f32, .limits = {rows_only, constant_weights}},
    {.of = kind::matmul, .types = f32, .limits = {equal_batches}},
    {.of = kind::pool,
     .functions = maxima,
     .types = f32,
     .limits = {images, undilated, no_indices, no_window_in_padding}},
    {.of = kind::pool,
     .functions = means,
     .types = f32,
     .limits = {images, undilated, no_window_in_padding, no_past_padding}},
    {.of = kind::reduce,
     .functions = these(reduction::max, reduction::mean, reduction::prod, reduction::sum),
     .types = f32},
    {.of = kind::softmax, .functions = these(0), .types = f32, .limits = {rows_only}},
    {.of = kind::unary, .functions = these(relu, sigmoid, tanh, exp, neg, hard_swish, leaky_relu, elu), .types = f32},
    {.of = kind::unary, .functions = these(hard_sigmoid), .types = f32, .limits = {factors(1.f / 6, 0.5f)}},
    {.of = kind::clamp, .types = f32, .limits = {bounds(0, 6)}},
    {.of = kind::clamp, .types = f32, .limits = {bounds(0, no_bound)}},
    {.of = kind::binary,
     .functions =
         these(arithmetic::add, arithmetic::sub, arithmetic::mul, arithmetic::div, arithmetic::max, arithmetic::min),
     .types = f32},
    {.of = kind::reshape, .types = f32, .quantized = i8, .scale = same},
    {.of = kind::transpose, .types = f32, .quantized = i8, .scale = same},
    {.of = kind::concat, .types = f32, .least_rank = 1},
    {.of = kind::slice, .types = f32, .least_rank = 1, .limits = {forwards}},
    {.of = kind::pad, .types = f32, .limits = {with_a_constant, no_cut}},
    {.of = kind::resize, .types = f32, .limits = {images, places_below, whole_scales}},
    {.of = kind::quantize, .types = f32, .quantized = i8},
    {.of = kind::dequantize, .types = f32, .quantized = i8},
};
constexpr tensor_rules tensors{.most_bytes = 4 * std::int64_t(std::numeric_limits<std::int32_t>::max()),
                               .empty = false,
                               .powers_of_two = true,
                               .constant_codes = true};
}  // namespace vitisai_rule_table
inline constexpr lowering::rule_set vitisai_rules{
    .library = "a DPU",
    .rules = vitisai_rule_table::on_dpu,
    .tensors = vitisai_rule_table::tensors,
    .ends = layout::channels_last,
    .leaves_dequantized = true,
};
inline constexpr lowering::rule_set xir_rules{
    .library = "XIR",
    .rules = vitisai_rule_table::by_xir,
    .tensors = vitisai_rule_table::tensors,
    .ends = layout::channels_last,
};
inline constexpr provider_contract vitisai_contract{
    .name = "VitisAIExecutionProvider",
    .short_name = "vitisai",
    .sdk = "Vitis AI",
    .versions = vitisai_versions,
    .source =
        "docs.amd.com, UG1414 3.0, currently supported operators; github.com/Xilinx/Vitis-AI, target_factory of 3.5",
    .memory = {.space = "host", .alignment = 64},
    .options = contract_options_of<vitisai>,
    .rules = &vitisai_rules,
    .costs = {.device = "a DPUCZDX8G B4096 at 300 MHz (1.2 TOPS), half of its data sheet's rate",
              .f32 = 0.6e12,
              .f16 = 0.6e12,
              .codes = 0.6e12,
              .memory = 10e9,
              .node = 5e-6,
              .region = 3e-4},
};
}  // namespace v1
}  // namespace inlay
