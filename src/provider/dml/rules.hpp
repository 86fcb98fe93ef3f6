// What DirectML takes of primitives, as DirectML 1.15.4 answers where it is called to make operators
// (tests/provider/dml/windows).
#pragma once
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
using enum arithmetic;
using resizing::interpolation;
constexpr element_set floats = f32 | f16, bytes = i8 | u8, narrow_signed = i8 | i16 | i32,
                      narrow = narrow_signed | u8 | u16 | u32, sums = floats | i32 | u32 | i64 | u64,
                      numbers = floats | narrow | i64 | u64, all_types = numbers | boolean;
constexpr rule rules[]{
    {.of = kind::conv, .types = floats, .least_rank = 3, .most_rank = 5},
    {.of = kind::deconv, .types = floats, .least_rank = 3, .most_rank = 5},
    {.of = kind::gemm, .types = floats},
    {.of = kind::matmul, .types = floats, .least_rank = 1},
    {.of = kind::pool, .types = floats, .least_rank = 3, .limits = {whole_image}},
    {.of = kind::pool,
     .functions = these(pooling::max),
     .types = numbers,
     .least_rank = 3,
     .most_rank = 5,
     .limits = {no_indices, no_window_in_padding}},
    {.of = kind::pool,
     .functions = these(pooling::average),
     .types = floats,
     .least_rank = 3,
     .most_rank = 5,
     .limits = {undilated, no_window_in_padding, no_past_padding}},
    {.of = kind::reduce, .functions = these(reduction::max, reduction::min), .types = numbers},
    {.of = kind::reduce,
     .functions = these(reduction::prod, reduction::sum, reduction::l1, reduction::sum_square),
     .types = sums},
    {.of = kind::reduce,
     .functions = these(reduction::mean, reduction::l2, reduction::log_sum, reduction::log_sum_exp),
     .types = floats},
    {.of = kind::arg, .types = numbers, .results = i64, .least_rank = 1},
    {.of = kind::top_k, .types = numbers, .least_rank = 1},
    {.of = kind::cumulative_sum, .types = sums, .least_rank = 1},
    {.of = kind::softmax, .types = floats},
    {.of = kind::batch_norm, .types = floats, .least_rank = 2},
    {.of = kind::layer_norm, .functions = these(0), .types = floats, .most_rank = 5},
    {.of = kind::lrn, .types = floats, .least_rank = 2, .limits = {odd_window}},
    {.of = kind::unary, .functions = these(abs, neg), .types = floats | narrow_signed | i64},
    {.of = kind::unary, .functions = these(relu), .types = floats | narrow_signed},
    {.of = kind::unary, .functions = these(sign), .types = numbers},
    {.of = kind::unary, .functions = these(is_infinite, is_nan), .types = floats, .results = boolean},
    {.of = kind::unary, .functions = these(logical_not), .types = boolean},
    {.of = kind::unary,
     .functions = these(acos, acosh, asin, asinh, atan, atanh, ceil, celu, cos, cosh, elu, erf, exp, floor, gelu,
                        hard_sigmoid, leaky_relu, log, reciprocal, round, selu, sigmoid, sin, sinh, softplus, softsign,
                        sqrt, tan, tanh, thresholded_relu),
     .types = floats},
    {.of = kind::clamp, .types = numbers},
    {.of = kind::binary,
     .functions = these(add, sub, mul, div, arithmetic::max, arithmetic::min, truncated_mod),
     .types = numbers},
    {.of = kind::binary, .functions = these(floor_mod), .types = narrow | i64 | u64},
    {.of = kind::binary, .functions = these(arithmetic::pow), .types = floats},
    {.of = kind::binary, .functions = these(prelu), .types = floats | narrow_signed, .limits = {first_shape}},
    {.of = kind::binary,
     .functions = these(equal, greater, greater_or_equal, less, less_or_equal),
     .types = all_types,
     .results = boolean},
    {.of = kind::binary, .functions = these(logical_and, logical_or, logical_xor), .types = boolean},
    {.of = kind::select, .types = all_types},
    {.of = kind::cast, .types = all_types},
    {.of = kind::reshape, .types = all_types},
    {.of = kind::transpose, .types = all_types},
    {.of = kind::broadcast, .types = all_types},
    {.of = kind::tile, .types = all_types},
    {.of = kind::concat, .types = all_types},
    {.of = kind::split, .types = all_types},
    {.of = kind::slice, .types = all_types},
    {.of = kind::pad, .types = all_types, .limits = {no_wrap, no_cut, mirrored_once}},
    {.of = kind::gather, .types = all_types},
    {.of = kind::lookup,
     .functions = these(lookup::scatter_elements),
     .types = all_types,
     .limits = {whole_other_axes}},
    {.of = kind::lookup,
     .functions = these(lookup::gather_elements, lookup::gather_nd, lookup::scatter_nd),
     .types = all_types},
    {.of = kind::one_hot, .types = i32 | u32 | i64 | u64, .results = all_types},
    {.of = kind::blocks, .types = all_types},
    {.of = kind::resize,
     .functions = these(interpolation::nearest),
     .types = floats | bytes,
     .most_rank = 4,
     .limits = {no_crop}},
    {.of = kind::resize,
     .functions = these(interpolation::linear, interpolation::cubic),
     .types = floats,
     .most_rank = 4,
     .limits = {no_crop}},
    {.of = kind::quantize_blocks, .functions = these(0), .types = narrow, .results = floats},
    {.of = kind::quantize_blocks, .functions = these(1), .types = floats, .results = bytes},
    {.of = kind::dynamic_quantize, .types = f32, .results = u8},
    {.of = kind::quantized_conv, .types = bytes, .results = bytes | i32, .least_rank = 3, .most_rank = 4},
    {.of = kind::quantized_matmul, .types = bytes, .results = bytes | i32, .least_rank = 1},
    {.of = kind::recurrent, .types = floats},
};
}  // namespace dml_rule_table
inline constexpr lowering::rule_set dml_rules{
    .library = "DirectML",
    .rules = dml_rule_table::rules,
    .tensors = {.most_rank = 8,
                .most_bytes =
                    std::numeric_limits<std::uint32_t>::max() / 2,  // of elements of 4; those of 8 are as many
                .empty = false,
                .plain_bytes = true},
    .images = layout::plain,
};
}  // namespace v1
}  // namespace inlay
