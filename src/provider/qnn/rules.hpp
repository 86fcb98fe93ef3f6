// What the tensor processor of Qualcomm's QAIRT takes, by its list of operators (document 80-63442-10), where the
// simulator computes it right: of the provider, and of plans where its library is not. The provider queries the
// library too.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/qnn.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view qnn_versions[]{"2.51"};
namespace qnn_rule_table {
using namespace element_sets;
using namespace lowering;
using namespace lowering::limits;
using enum function;
constexpr element_set floats = f32 | f16, numbers = floats | i32, all_types = numbers | boolean, bytes = u8 | i8;
constexpr scale_rule same = scale_rule::same;
constexpr functions comparisons =
    these(arithmetic::equal, arithmetic::greater, arithmetic::greater_or_equal, arithmetic::less,
          arithmetic::less_or_equal, arithmetic::logical_and, arithmetic::logical_or, arithmetic::logical_xor);
constexpr rule rules[]{
    {.of = kind::conv, .types = floats, .quantized = bytes, .limits = {images, constant_weights}},
    {.of = kind::deconv, .types = floats, .limits = {images, constant_weights, undilated}},
    {.of = kind::dense, .types = floats, .quantized = bytes, .limits = {rows_only, constant_weights}},
    {.of = kind::matmul, .types = floats, .quantized = bytes},
    {.of = kind::pool,
     .functions = these(pooling::max),
     .types = floats,
     .quantized = bytes,
     .scale = same,
     .limits = {images, undilated, no_indices, no_window_in_padding, natural_if_padded}},
    {.of = kind::pool,
     .functions = these(pooling::average),
     .types = floats,
     .quantized = bytes,
     .limits = {images, undilated, no_window_in_padding, no_past_padding, counts_image}},
    {.of = kind::reduce, .functions = these(reduction::mean), .types = floats, .quantized = bytes, .least_rank = 1},
    {.of = kind::reduce,
     .functions = these(reduction::max, reduction::min, reduction::sum),
     .types = numbers,
     .least_rank = 1},
    {.of = kind::softmax,
     .functions = these(0),
     .types = floats,
     .quantized = bytes,
     .limits = {last_axis},
     .order = order_rule::images},
    {.of = kind::softmax, .functions = these(1), .types = floats, .limits = {last_axis}, .order = order_rule::images},
    {.of = kind::affine, .types = floats, .least_rank = 2, .most_rank = 2, .order = order_rule::images},
    {.of = kind::affine, .types = floats, .least_rank = 4, .order = order_rule::images},
    {.of = kind::lrn, .types = floats, .limits = {images, odd_window}, .order = order_rule::images},
    {.of = kind::unary, .functions = these(abs), .types = numbers},
    {.of = kind::unary, .functions = these(ceil, cos, exp, floor, log, neg, sign, sin, sqrt), .types = floats},
    {.of = kind::unary, .functions = these(hard_swish, relu, sigmoid, tanh), .types = floats, .quantized = bytes},
    {.of = kind::unary, .functions = these(gelu), .types = floats, .quantized = bytes, .limits = {half_floats}},
    {.of = kind::unary, .functions = these(atan, elu, round), .types = floats, .limits = {half_floats}},
    {.of = kind::unary, .functions = these(logical_not), .types = boolean},
    {.of = kind::clamp, .types = floats, .quantized = bytes},
    {.of = kind::binary,
     .functions = these(arithmetic::add, arithmetic::sub, arithmetic::mul, arithmetic::max, arithmetic::min),
     .types = numbers,
     .quantized = bytes},
    {.of = kind::binary, .functions = these(arithmetic::div, arithmetic::prelu), .types = floats, .quantized = bytes},
    {.of = kind::binary, .functions = these(arithmetic::pow), .types = floats},
    {.of = kind::binary, .functions = comparisons, .types = all_types},
    {.of = kind::select, .functions = these(element::i32), .types = i32 | boolean},
    {.of = kind::select, .types = all_types, .limits = {half_floats}},
    {.of = kind::cast, .functions = these(element::i64), .types = i64 | i32 | boolean, .order = order_rule::plain},
    {.of = kind::cast, .functions = these(element::i32), .types = all_types | i64},
    {.of = kind::cast, .functions = these(element::f32, element::f16, element::boolean), .types = all_types},
    {.of = kind::arg, .types = numbers, .limits = {first_of_equals}, .order = order_rule::follows},
    {.of = kind::top_k, .types = floats, .limits = {last_axis, no_indices}},
    {.of = kind::cumulative_sum, .types = i32},
    {.of = kind::cumulative_sum, .types = floats, .limits = {inclusive, half_floats}},
    {.of = kind::reshape, .types = all_types, .quantized = bytes, .scale = same},
    {.of = kind::transpose, .types = all_types, .quantized = bytes, .scale = same},
    {.of = kind::concat, .types = all_types, .quantized = bytes, .least_rank = 1},
    {.of = kind::slice, .types = all_types, .quantized = bytes, .scale = same, .least_rank = 1, .limits = {forwards}},
    {.of = kind::tile, .types = all_types},
    {.of = kind::pad,
     .types = floats,
     .quantized = bytes,
     .scale = same,
     .limits = {with_a_constant, no_cut, longest_float16, half_floats},
     .order = order_rule::images},  // turned behind, pools of it are wrong
    {.of = kind::gather,
     .types = i32,
     .quantized = bytes,
     .scale = same,
     .limits = {known_places},
     .order = order_rule::follows},
    {.of = kind::gather, .types = floats | boolean, .limits = {known_places, one_place}, .order = order_rule::follows},
    {.of = kind::gather,
     .types = floats | boolean,
     .limits = {known_places, half_floats},
     .order = order_rule::follows},
    {.of = kind::lookup, .functions = these(lookup::gather_elements), .types = i32, .limits = {known_places}},
    {.of = kind::lookup,
     .functions = these(lookup::gather_elements),
     .types = floats,
     .limits = {known_places, half_floats}},
    {.of = kind::lookup, .functions = these(lookup::gather_nd), .types = numbers, .limits = {no_batches, known_places}},
    {.of = kind::blocks, .types = floats, .quantized = bytes, .scale = same, .limits = {images}},
    {.of = kind::resize,
     .functions = these(resizing::interpolation::nearest),
     .types = floats,
     .quantized = bytes,
     .scale = same,
     .limits = {images, places_below, half_floats}},
    {.of = kind::resize,
     .functions = these(resizing::interpolation::linear, resizing::interpolation::cubic),
     .types = floats,
     .quantized = bytes,
     .scale = same,
     .limits = {images, places_below}},
    {.of = kind::quantize, .types = f32, .quantized = bytes},
    {.of = kind::dequantize, .types = f32, .quantized = bytes},
};
constexpr unrolled_operator unrolled[]{{"LSTM", 128}, {"GRU", 128, true}};
}  // namespace qnn_rule_table
inline constexpr lowering::rule_set qnn_rules{
    .library = "QNN",
    .rules = qnn_rule_table::rules,
    .tensors = {.most_rank = 4,  // the simulator ends the process for some tensors of five
                .most_bytes = std::numeric_limits<std::uint32_t>::max(),
                .empty = false,
                .constant_codes = true,
                .short_places = true},
    .unrolled = qnn_rule_table::unrolled,
};
inline constexpr provider_contract qnn_contract{
    .name = "QNNExecutionProvider",
    .short_name = "qnn",
    .sdk = "QAIRT",
    .versions = qnn_versions,
    .source = "docs.qualcomm.com 80-63442-10, and the rules of Inlay's provider, checked against the library",
    .memory = {.space = "host", .alignment = 64},
    .options =
        [] {
            return std::vector<contract_option>{{"backend_type", "htp", "htp cpu gpu saver"},
                                                {"backend_path", "", "text"},
                                                {"htp_arch", "0", "integer"},
                                                {"soc_model", "0", "integer"},
                                                {"vtcm_mb", "0", "integer"},
                                                {"htp_graph_finalization_optimization_mode", "0", "0 1 2 3"},
                                                {"enable_htp_fp16_precision", "true", "flag"},
                                                {"qnn_context_priority", "normal", "low normal normal_high high"}};
        },
    .rules = &qnn_rules,
    .costs = {.device = "the NPU of a Snapdragon X (45 TOPS), a fifth of its data sheet's rate",
              .f32 = 4e12,
              .f16 = 4e12,
              .codes = 9e12,
              .memory = 60e9,
              .node = 2e-6,
              .region = 3e-4},
};
}  // namespace v1
}  // namespace inlay
