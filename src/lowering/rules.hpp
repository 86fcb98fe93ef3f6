// What a library takes of primitives, as data: the check of a provider's nodes, the reason of each refusal, the table
// of `inlay operators` and the plans of `inlay plan --as` are these rules.
#pragma once
#include "primitive.hpp"
#include <array>

namespace inlay {
inline namespace v1 {
// Names of element types in the tables.
namespace element_sets {
constexpr element_set f32 = element_set::of({element::f32}), f16 = element_set::of({element::f16}),
                      bf16 = element_set::of({element::bf16}), f64 = element_set::of({element::f64}),
                      i8 = element_set::of({element::i8}), u8 = element_set::of({element::u8}),
                      i16 = element_set::of({element::i16}), u16 = element_set::of({element::u16}),
                      i32 = element_set::of({element::i32}), u32 = element_set::of({element::u32}),
                      i64 = element_set::of({element::i64}), u64 = element_set::of({element::u64}),
                      boolean = element_set::of({element::boolean});
constexpr element_set operator|(element_set a, element_set b) { return {a.bits | b.bits}; }
}  // namespace element_sets

namespace lowering {
// What a rule requires of a primitive besides its types and its rank.
enum class limit_kind : std::uint8_t {
    nothing,
    images,            // two spatial axes
    constant_weights,  // and a constant bias, of floats
    constant_bias,     // alone
    undilated,
    dilation_or_groups,  // not both, unless each group is a channel
    one_group,
    channels_or_one,       // one group, or one for each channel
    depthwise,             // a group for each channel, with one result
    kernel_fits,           // in `most` rows of `least` channels, of which there are 256 times as many at most
    window_sizes,          // lengths to `least`, strides to `most`
    symmetric_weights,     // in 8 bits: no zero point, and a scale for each output at most
    one_scale,             // of weights in 8 bits
    no_more_zeros,         // after a transposed convolution's reach
    zeros_below_stride,    // as many, and no more
    no_window_in_padding,  // alone
    no_counted_padding,
    counted_padding,  // where there is some
    no_indices,
    two_elements,  // a window has more than one
    whole_image,   // is the window
    bounds,        // from `least` to `most`
    apart,         // its bounds are not one
    positive,      // alpha is
    factors,       // alpha and beta are `least` and `most`
    first_shape,   // the result has the shape of the first operand
    no_broadcast,
    channel_slopes,  // the second operand is a constant, one for each channel
    equal_batches,
    rows_only,  // what has more axes is reshaped first
    last_axis,  // or the channels of an image, where these are last
    odd_window,
    counts,           // of parts, from `least` to `most`
    with_a_constant,  // it pads
    zeros,
    no_cut,           // no pad is negative
    forwards,         // steps are positive
    known_places,     // indices are known, and in range
    depth_first,      // DCR
    places_below,     // the nearest element is the one below, and scales are those of the lengths
    first_pixels,     // of linear ones: places by `asymmetric` only
    no_crop,          // of resized images: linear or nearest, by whatever rule but tf_crop_and_resize
    no_past_padding,  // counted, by the last windows
    no_wrap,
    mirrored_once,      // no mirrored border is as long as its axis
    whole_other_axes,   // what is put along an axis is as long along the others
    whole_scales,       // an image becomes longer by whole numbers
    whole_factors,      // the nearest element, and the last two axes become longer by whole numbers
    one_shape,          // of all operands
    half_floats,        // of floats: the processor computes them in 16 bits
    counts_image,       // means are over the elements of the image, and the library counts these well
    natural_if_padded,  // what is padded is never negative, or codes from 0 on
    longest_float16,    // the number that floats are padded with is one of 16 bits
    one_place,          // is gathered
    inclusive,          // sums from the first element on, each with its own
    first_of_equals,
    no_batches,       // of coordinates
    one_whole,        // an operand has the result's shape: the first, unless they may be exchanged or it is one number
    number_exponent,  // one constant, and the result has the base's shape
    unit_steps,
    spatial_factors,  // the nearest element, and the axes behind the channels become longer by whole numbers
    pixel_centers,    // linear between these, of the axes behind the channels
};
// One of these, with its bounds.
struct limit {
    limit_kind kind = limit_kind::nothing;
    float least = 0, most = 0;
    std::string_view until{};  // the version of the library that lifted it; empty: none did
};
// Limits as the tables of rules name them.
namespace limits {
constexpr limit images{limit_kind::images}, constant_weights{limit_kind::constant_weights},
    constant_bias{limit_kind::constant_bias}, undilated{limit_kind::undilated},
    dilation_or_groups{limit_kind::dilation_or_groups}, one_group{limit_kind::one_group},
    channels_or_one{limit_kind::channels_or_one}, depthwise{limit_kind::depthwise},
    symmetric_weights{limit_kind::symmetric_weights}, one_scale{limit_kind::one_scale},
    no_more_zeros{limit_kind::no_more_zeros}, zeros_below_stride{limit_kind::zeros_below_stride},
    no_window_in_padding{limit_kind::no_window_in_padding}, no_counted_padding{limit_kind::no_counted_padding},
    counted_padding{limit_kind::counted_padding}, no_indices{limit_kind::no_indices},
    two_elements{limit_kind::two_elements}, whole_image{limit_kind::whole_image}, apart{limit_kind::apart},
    positive{limit_kind::positive}, first_shape{limit_kind::first_shape}, no_broadcast{limit_kind::no_broadcast},
    channel_slopes{limit_kind::channel_slopes}, equal_batches{limit_kind::equal_batches},
    rows_only{limit_kind::rows_only}, last_axis{limit_kind::last_axis}, odd_window{limit_kind::odd_window},
    with_a_constant{limit_kind::with_a_constant}, zeros{limit_kind::zeros}, no_cut{limit_kind::no_cut},
    forwards{limit_kind::forwards}, known_places{limit_kind::known_places}, depth_first{limit_kind::depth_first},
    places_below{limit_kind::places_below}, first_pixels{limit_kind::first_pixels}, no_crop{limit_kind::no_crop},
    no_past_padding{limit_kind::no_past_padding}, no_wrap{limit_kind::no_wrap},
    mirrored_once{limit_kind::mirrored_once}, whole_other_axes{limit_kind::whole_other_axes},
    whole_scales{limit_kind::whole_scales}, whole_factors{limit_kind::whole_factors}, one_shape{limit_kind::one_shape},
    half_floats{limit_kind::half_floats}, counts_image{limit_kind::counts_image},
    natural_if_padded{limit_kind::natural_if_padded}, longest_float16{limit_kind::longest_float16},
    one_place{limit_kind::one_place}, inclusive{limit_kind::inclusive}, first_of_equals{limit_kind::first_of_equals},
    no_batches{limit_kind::no_batches}, one_whole{limit_kind::one_whole}, number_exponent{limit_kind::number_exponent},
    unit_steps{limit_kind::unit_steps}, spatial_factors{limit_kind::spatial_factors},
    pixel_centers{limit_kind::pixel_centers};
constexpr limit bounds(float least, float most) { return {limit_kind::bounds, least, most}; }
constexpr limit factors(float alpha, float beta) { return {limit_kind::factors, alpha, beta}; }
constexpr limit window_sizes(float length, float stride) { return {limit_kind::window_sizes, length, stride}; }
// In the buffer of a processor that has so many channels of a kernel in a row.
constexpr limit kernel_fits(float channels, float rows) { return {limit_kind::kernel_fits, channels, rows}; }
constexpr limit counts(float least, float most) { return {limit_kind::counts, least, most}; }
constexpr limit until(std::string_view version, limit l) {
    l.until = version;
    return l;
}
}  // namespace limits

// What the result's scale has to be where a primitive is computed on integers of 8 bits.
enum class scale_rule : std::uint8_t {
    any,
    same,         // as the input's
    unit,         // 1/256, from the least integer on
    both_signs,   // 1/128, from -1 on
    of_products,  // more than the product of the inputs' scales
};
// In which order a primitive's elements lie.
enum class order_rule : std::uint8_t {
    plain,
    images,  // as the library has images
    channels_last,
    follows,  // as its first operand is there
    meets,    // as its operands can lie all
};
// The order of a kind where the rule states none.
constexpr order_rule usual_order(kind k) {
    switch (k) {
        case kind::conv:
        case kind::deconv:
        case kind::pool:
        case kind::instance_norm:
        case kind::blocks:
        case kind::resize: return order_rule::images;
        case kind::unary:
        case kind::clamp:
        case kind::affine:
        case kind::reduce:
        case kind::slice:
        case kind::pad:
        case kind::cast:
        case kind::quantize:
        case kind::dequantize: return order_rule::follows;
        case kind::binary:
        case kind::select:
        case kind::concat: return order_rule::meets;
        default: return order_rule::plain;
    }
}
using functions = std::uint64_t;  // a bit for each of a kind
constexpr functions all_functions = ~functions(0);
// The bits of these functions, as in `these(function::relu, function::abs)`.
template <class... E> constexpr functions these(E... values) { return ((functions(1) << int(values)) | ...); }

// One row: a kind of primitive, the functions of it that the row speaks of, and what they may be.
struct rule {
    kind of;
    lowering::functions functions = all_functions;
    std::string_view since{};  // the first version of the library that has it; empty: all
    element_set types{}, quantized{};
    element_set results{};               // where they are not of `types`
    scale_rule scale = scale_rule::any;  // of a quantized result
    int least_rank = 0, most_rank = max_rank;
    std::array<limit, 6> limits{};
    order_rule order = usual_order(of);
};
// Of all tensors of a library.
struct tensor_rules {
    int most_rank = max_rank;
    std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();  // of elements of 4 bytes
    bool empty = true;                                                   // there are some without elements
    std::string_view int8{};      // the first version with signed integers of 8 bits; empty: all
    bool mixes_codes = false;     // signed and unsigned ones meet in an operation
    bool plain_bytes = false;     // integers of 8 bits are as others: what they stand for is the operations' matter
    bool powers_of_two = false;   // of quantized ones scales are, one for all, and there is no zero point
    bool constant_codes = false;  // operands of 8 bits may be constants
    bool short_places = false;    // places of elements are found in 32 bits, and become longer by a cast
};
// An operator that is written step by step, in primitives that the library has.
struct unrolled_operator {
    std::string_view op;
    std::int64_t most_steps;
    bool single_floats = false;  // on processors without fp16
};
// All rows of a library. A primitive is taken by the first row that takes it.
struct rule_set {
    std::string_view library;
    std::span<const rule> rules;
    tensor_rules tensors{};
    layout ends = layout::plain;            // of images that are a region's inputs and outputs
    layout images = layout::channels_last;  // as the library has them, unless a target says otherwise
    std::string_view quantized{};           // the first version that computes on integers of 8 bits; empty: all
    // Nodes that read what is dequantized are computed on integers of 8 bits, or left: on the same processor another
    // provider may compute them so.
    bool leaves_dequantized = false;
    // Matmuls and convolutions of int8 may produce float32; other nodes then read what is dequantized as float32 where
    // their results are not quantized.
    bool gives_floats = false;
    bool fuses = false;  // candidates of fusion are taken whole, for they may have nodes that the library lacks
    std::span<const unrolled_operator> unrolled{};
    // A version as refusals print it; null: as it is.
    std::string (*version_text)(std::string_view) = nullptr;

    constexpr bool has(kind k) const {
        return std::ranges::any_of(rules, [k](const rule& r) { return r.of == k; });
    }
};
// A library of some version.
struct target {
    const rule_set* rules;
    std::string version{};
    layout images = rules->images;
    std::optional<bool> half_floats{};  // its processor computes them; nothing: that is not known
};

// Numbers in the order in which they stand: 8.5 is older than 10.0, and 2022-02-16 than 2024-11-08.
bool is_older(std::string_view a, std::string_view b);
// Why the library has no such tensor; empty: it has.
std::string refusal_of_tensor(const target&, const operand&);
// Why the library does not take the primitive; empty: it does. op: the operator of ONNX that it is of.
std::string refusal_by(const target&, const primitive&, std::string_view op);
// Why an operator is not written step by step; empty: it is.
std::string refusal_of_steps(const target&, const node_view&);
// How its elements lie, by the first rule that takes it.
order_rule order_of(const target&, const primitive&);

// A row of the table: what becomes of operators of ONNX.
struct table_row {
    std::string operators;  // with a blank between two
    element_set types{}, quantized{};
    int least_rank = 0, most_rank = max_rank;
    std::vector<std::string> demands{};
    std::string since{};
};
// The rules by ONNX's operators, primitives that a library has only as several others included.
std::vector<table_row> table_of(const rule_set&);
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
