// What oneDNN takes: of the provider, and of plans where its library is not. The provider also queries the library
// itself, which has only reference kernels for some of it on some processors.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/onednn.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view onednn_versions[]{"3.2"};
namespace onednn_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
using enum arithmetic;
constexpr element_set bytes = u8 | i8;
constexpr functions nearest = these(resizing::interpolation::nearest), linear = these(resizing::interpolation::linear);
constexpr rule rules[]{
    {.of = kind::conv,
     .types = f32,
     .quantized = bytes,
     .least_rank = 3,
     .most_rank = 5,
     .limits = {symmetric_weights}},
    {.of = kind::conv, .types = bytes, .results = f32, .least_rank = 3, .most_rank = 5, .limits = {symmetric_weights}},
    {.of = kind::deconv, .types = f32, .least_rank = 3, .most_rank = 5},
    {.of = kind::dense, .types = f32, .quantized = bytes, .least_rank = 1, .limits = {symmetric_weights}},
    {.of = kind::dense, .types = bytes, .results = f32, .least_rank = 1, .limits = {symmetric_weights}},
    {.of = kind::matmul, .types = f32, .quantized = bytes, .least_rank = 1},
    {.of = kind::matmul, .types = bytes, .results = f32, .least_rank = 1},
    {.of = kind::pool,
     .types = f32,
     .quantized = bytes,
     .least_rank = 3,
     .most_rank = 5,
     .limits = {no_indices, no_window_in_padding, no_past_padding}},
    {.of = kind::batch_norm, .types = f32, .least_rank = 2, .most_rank = 5},
    {.of = kind::layer_norm, .functions = these(0), .types = f32, .least_rank = 2},
    {.of = kind::lrn, .types = f32, .least_rank = 3, .most_rank = 5, .limits = {odd_window}},
    {.of = kind::softmax, .types = f32, .least_rank = 1},
    {.of = kind::reduce,
     .functions = these(reduction::l1, reduction::l2, reduction::max, reduction::mean, reduction::min, reduction::prod,
                        reduction::sum, reduction::sum_square),
     .types = f32,
     .least_rank = 1},
    {.of = kind::unary,
     .functions = these(abs, exp, gelu, gelu_by_tanh, hard_sigmoid, hard_swish, leaky_relu, log, mish, neg, reciprocal,
                        round, softplus, sqrt, swish, tanh),
     .types = f32},
    {.of = kind::unary, .functions = these(relu, sigmoid), .types = f32, .quantized = bytes},
    {.of = kind::unary, .functions = these(elu), .types = f32, .limits = {positive}},
    {.of = kind::clamp, .types = f32, .quantized = bytes},
    {.of = kind::binary, .functions = these(add, mul), .types = f32, .quantized = bytes, .limits = {one_whole}},
    {.of = kind::binary,
     .functions = these(div, arithmetic::max, arithmetic::min, sub),
     .types = f32,
     .limits = {one_whole}},
    {.of = kind::binary, .functions = these(arithmetic::pow), .types = f32, .limits = {number_exponent}},
    {.of = kind::binary, .functions = these(prelu), .types = f32, .limits = {first_shape}},
    {.of = kind::resize,
     .functions = nearest,
     .types = f32,
     .least_rank = 3,
     .most_rank = 5,
     .limits = {spatial_factors}},
    {.of = kind::resize, .functions = linear, .types = f32, .least_rank = 3, .most_rank = 5, .limits = {pixel_centers}},
    {.of = kind::reshape, .types = f32, .quantized = bytes},
    {.of = kind::transpose, .types = f32, .quantized = bytes},
    {.of = kind::concat, .types = f32, .quantized = bytes, .least_rank = 1},
    {.of = kind::slice, .types = f32, .quantized = bytes, .least_rank = 1, .limits = {unit_steps}},
    {.of = kind::gather, .types = f32, .least_rank = 1, .limits = {known_places, one_place}},
    {.of = kind::blocks, .types = f32, .limits = {images}},
    {.of = kind::quantize, .types = f32, .quantized = bytes},
    {.of = kind::dequantize, .types = f32, .quantized = bytes},
};
}  // namespace onednn_rule_table
inline constexpr lowering::rule_set onednn_rules{
    .library = "oneDNN",
    .rules = onednn_rule_table::rules,
    .tensors = {.most_rank = 6, .empty = false, .mixes_codes = true, .constant_codes = true},
    .images = layout::plain,
    .leaves_dequantized = true,
    .gives_floats = true,
    .fuses = true,
};
inline constexpr provider_contract onednn_contract{
    .name = onednn::name,
    .short_name = onednn::short_name,
    .sdk = "oneDNN",
    .versions = onednn_versions,
    .source = "the rules of Inlay's provider, checked against the library",
    .memory = {},
    .options = contract_options_of<onednn>,
    .rules = &onednn_rules,
    .costs = {.device = "a core of a server of 2023, with AVX2; docs/providers.md",
              .f32 = 74e9,
              .f16 = 74e9,
              .codes = 180e9,
              .memory = 12e9,
              .node = 5e-7,
              .region = 2e-6},
};
}  // namespace v1
}  // namespace inlay
