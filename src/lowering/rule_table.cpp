// Rules as a table by ONNX's operators.
#include "canonical.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
std::string text_of_numbers(const limit& l) {
    const std::string least = std::to_string(int(l.least)), most = std::to_string(int(l.most));
    switch (l.kind) {
        case limit_kind::counts: return least + " to " + most + " inputs";
        case limit_kind::window_sizes: return "kernels to " + least + ", strides to " + most;
        case limit_kind::kernel_fits: return "a kernel of " + most + " rows of " + least + " channels";
        default: return {};  // what is against it becomes several operations
    }
}
std::string text_of(const limit& l) {
    switch (l.kind) {
        case limit_kind::no_broadcast: return "operands of one shape";
        case limit_kind::bounds: return "some bounds";
        case limit_kind::images: return "2 spatial axes";
        case limit_kind::constant_weights: return "constant weights";
        case limit_kind::constant_bias: return "a constant bias";
        case limit_kind::undilated: return "no dilation";
        case limit_kind::dilation_or_groups: return "not dilated in groups";
        case limit_kind::one_group: return "one group";
        case limit_kind::channels_or_one: return "one group, or one for each channel";
        case limit_kind::depthwise: return "a group for each channel";
        case limit_kind::symmetric_weights: return "no zero points of weights in 8 bits";
        case limit_kind::one_scale: return "one scale of weights in 8 bits";
        case limit_kind::zeros_below_stride: return "fewer zeros behind its reach than a stride";
        case limit_kind::no_more_zeros: return "no zeros behind its reach";
        case limit_kind::no_window_in_padding: return "no window in the padding alone";
        case limit_kind::no_counted_padding: return "padding not counted";
        case limit_kind::counted_padding: return "padding counted";
        case limit_kind::no_indices: return "no indices";
        case limit_kind::two_elements: return "windows of two elements and more";
        case limit_kind::whole_image: return "the whole image";
        case limit_kind::apart: return "bounds that differ";
        case limit_kind::factors: return "one alpha and beta";
        case limit_kind::positive: return "a positive alpha";
        case limit_kind::channel_slopes: return "constant slopes, one for each channel";
        case limit_kind::first_shape: return "the shape of the first input";
        case limit_kind::equal_batches: return "equal batches";
        case limit_kind::last_axis: return "the last axis";
        case limit_kind::odd_window: return "an odd size";
        case limit_kind::with_a_constant: return "mode constant";
        case limit_kind::zeros: return "zeros";
        case limit_kind::no_cut: return "no negative pads";
        case limit_kind::forwards: return "steps forwards";
        case limit_kind::known_places: return "known indices";
        case limit_kind::depth_first: return "mode DCR";
        case limit_kind::places_below: return "nearest elements below, or linear";
        case limit_kind::first_pixels: return "asymmetric";
        case limit_kind::no_crop: return "nearest or linear, not tf_crop_and_resize";
        case limit_kind::no_past_padding: return "counted padding that the last windows do not pass";
        case limit_kind::mirrored_once: return "mirrored borders shorter than their axes";
        case limit_kind::whole_other_axes: return "the other axes whole";
        case limit_kind::no_wrap: return "mode constant, edge or reflect";
        case limit_kind::whole_scales: return "whole numbers of times";
        case limit_kind::whole_factors: return "nearest elements, by whole factors of the last two axes";
        case limit_kind::half_floats: return "a processor with fp16";
        case limit_kind::longest_float16: return "numbers of 16 bits";
        case limit_kind::one_place: return "one index";
        case limit_kind::inclusive: return "sums from the first element on";
        case limit_kind::first_of_equals: return "the first of equal elements";
        case limit_kind::no_batches: return "no batches of coordinates";
        case limit_kind::one_whole: return "an operand of the result's shape";
        case limit_kind::number_exponent: return "one constant exponent";
        case limit_kind::unit_steps: return "steps of 1";
        case limit_kind::spatial_factors: return "nearest elements, by whole factors of the spatial axes";
        case limit_kind::pixel_centers: return "linear at half_pixel, of the spatial axes";
        default: return text_of_numbers(l);
    }
}
void add_demands(const rule& r, std::vector<std::string>& demands) {
    for (const limit& l : r.limits)
        if (const std::string text = text_of(l); !text.empty())
            demands.push_back(text + (l.until.empty() ? "" : " before " + std::string(l.until)));
}
// The rows of what a rule takes; of what is taken as several others, each with all that these ask.
using rows = std::vector<table_row>;
table_row row_of(const rule_set& set, const rule& r) {
    table_row row{
        {}, r.types, r.quantized, r.least_rank, std::min(r.most_rank, set.tensors.most_rank), {}, std::string(r.since)};
    add_demands(r, row.demands);
    return row;
}
// It speaks of products that give floats: of what their integers were dequantized from another one speaks.
bool only_gives_floats(const rule_set& set, const rule& r) {
    constexpr element_set bytes = element_set::of({element::i8, element::u8});
    return set.gives_floats && (r.types.bits & ~bytes.bits) == 0;
}
bool is_partial(const rule& r) {
    return std::ranges::any_of(r.limits, [](const limit& l) { return l.kind == limit_kind::bounds; });
}
rows rows_of(const rule_set& set, kind of, int function_index) {
    rows matches;
    bool whole = false;
    for (const rule& r : set.rules)
        if (r.of == of && (function_index < 0 || (r.functions >> function_index & 1)) && !only_gives_floats(set, r)) {
            matches.push_back(row_of(set, r));
            whole |= !is_partial(r);
        }
    if (whole) return matches;
    for (const expansion& e : expansions()) {
        if (e.of != of || e.function_index != std::max(function_index, 0)) continue;
        table_row row{{}, {~decltype(element_set::bits)(0)}, {}, 0, set.tensors.most_rank, {}, {}};
        for (const auto& [part, part_index] : e.needs) {
            const rows parts = rows_of(set, part, part_index);
            if (parts.empty()) return matches;
            row.types.bits &= parts.back().types.bits;
            if (is_older(row.since, parts.back().since)) row.since = parts.back().since;
        }
        matches.push_back(std::move(row));
    }
    return matches;
}
// The library has the operator as another kind of primitive.
bool is_second_choice(const rule_set& set, std::span<const source> sources, const source& s) {
    return !set.has(s.of) &&
           std::ranges::any_of(sources, [&](const source& t) { return t.op == s.op && set.has(t.of); });
}
// Adds to a list that is separated by blanks. An operator is there once, although its versions may become different
// primitives with the same row.
void add_name(std::string& names, std::string_view name) {
    const std::string between = " " + std::string(name) + " ";
    if ((" " + names + " ").find(between) == std::string::npos) names += " " + std::string(name);
}
bool alike(const table_row& a, const table_row& b) {
    return a.types.bits == b.types.bits && a.quantized.bits == b.quantized.bits && a.least_rank == b.least_rank &&
           a.most_rank == b.most_rank && a.demands == b.demands && a.since == b.since;
}
}  // namespace

std::vector<table_row> table_of(const rule_set& set) {
    rows table;
    for (const unrolled_operator& u : set.unrolled)
        table.push_back({std::string(u.op),
                         element_set::of({element::f32}),
                         {},
                         3,
                         3,
                         {"up to " + std::to_string(u.most_steps) + " steps", "constant weights"}});
    std::string_view whole;  // an operator that the library has so: nothing else is made of it
    const std::vector<source> sources = all_sources();
    for (const source& s : sources) {
        const bool of_whole = s.of >= kind::gemm;
        if (s.op == whole || (is_byte_operator(s.op) && set.tensors.plain_bytes && !of_whole)) continue;
        if (of_whole && set.has(s.of)) whole = s.op;
        if (is_second_choice(set, sources, s)) continue;
        for (table_row& row : rows_of(set, s.of, s.function_index)) {
            if (s.floats) row.quantized = {};
            if (!(row.types.bits | row.quantized.bits)) continue;
            if (is_byte_operator(s.op) && !set.tensors.plain_bytes) {
                row.types = std::exchange(row.quantized, {});  // they are what it computes
                if (!row.types.bits) continue;
            }
            const auto at =
                std::ranges::find_if(table, [&](const table_row& candidate) { return alike(candidate, row); });
            if (at != table.end()) {
                add_name(at->operators, s.op);
                continue;
            }
            row.operators = s.op;
            table.push_back(std::move(row));
        }
    }
    return table;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
