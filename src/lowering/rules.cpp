#include "canonical.hpp"
#include "rules.hpp"
#include <charconv>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
// What rules and limits are checked with.
struct question {
    const target& to;
    std::string_view op;
    std::string library() const { return std::string(to.rules->library); }
    bool older_than(std::string_view version) const { return is_older(to.version, version); }
    std::string since(std::string_view feature, std::string_view version) const {
        const auto text = [&](std::string_view v) {
            return to.rules->version_text ? to.rules->version_text(v) : std::string(v);
        };
        return library() + " has " + std::string(feature) + " from " + text(version) + " on, and this is " +
               text(to.version);
    }
};
std::string type_text(const question& q, element e) {
    return q.library() + " gets no tensors of type " + std::string(name_of(e)) + " here";
}

// --- limits, by the primitives that they are of: why one is not met; empty: it is, or is not of this primitive
template <class P> std::string fault_of_window(const limit& l, const P& p, const question& q) {
    const std::string library = q.library();
    switch (l.kind) {
        case limit_kind::images:
            return p.x.dims.rank == 4 ? ""
                                      : "it is over " + std::to_string(p.x.dims.rank - 2) + " spatial axes, and " +
                                            library + "'s operation over 2";
        case limit_kind::undilated:
            if constexpr (requires { p.window; })
                for (const window_axis& a : p.window)
                    if (a.dilation != 1)
                        return "it is dilated by " + std::to_string(a.dilation) + ", and " + library +
                               "'s operation is not";
            return {};
        case limit_kind::window_sizes:
            if constexpr (requires { p.window; })
                for (const window_axis& a : p.window) {
                    const bool long_kernel = float(a.kernel) > l.least;
                    if (long_kernel || float(a.stride) > l.most)
                        return (long_kernel ? "the kernel is " + std::to_string(a.kernel)
                                            : "the stride is " + std::to_string(a.stride)) +
                               ", and " + library + " takes 1 to " +
                               std::to_string(int(long_kernel ? l.least : l.most));
                }
            return {};
        default: return {};
    }
}
template <class P> std::string fault_of_weights(const limit& l, const P& p, const question& q) {
    if (l.kind != limit_kind::constant_weights) return {};
    const auto fault = [&](const operand& w, const std::string& name) -> std::string {
        if (!w.constant) return name + " is not a constant, which " + q.library() + "'s operation requires";
        return is_float(w.type) ? "" : name + " is of type " + std::string(name_of(w.type)) + ", not float";
    };
    if (std::string reason = fault(p.w, "the weights"); !reason.empty()) return reason;
    return p.bias ? fault(*p.bias, "the bias") : "";
}
template <class P> std::string fault_of_codes(const limit& l, const P& p, const question& q) {
    if (!p.w.quantized || !p.x.is_quantized()) return {};
    const quantisation& w = *p.w.quantized;
    const std::int32_t zero = w.zero - (w.type == element::u8 ? 128 : 0);
    const bool per_channel = w.scales.size() > 1;
    if (l.kind == limit_kind::symmetric_weights && zero != 0)
        return "its weights of 8 bits have the zero point " + std::to_string(zero) + ", and " + q.library() +
               "'s are symmetric";
    if ((l.kind == limit_kind::symmetric_weights && per_channel && w.axis != 0) ||
        (l.kind == limit_kind::one_scale && per_channel))
        return "its weights have " + std::to_string(w.scales.size()) + " scales, which " + q.library() +
               " does not have here";
    return {};
}
std::string fault_of_groups(const limit& l, std::int64_t groups, const question& q) {
    return l.kind != limit_kind::one_group || groups == 1
               ? ""
               : "it has " + std::to_string(groups) + " groups, and " + q.library() + "'s operation one";
}
// Of a processor's buffer; l: channels of a kernel that are in a row of it, and rows.
std::string fault_of_kernel(const limit& l, const conv_prim& p, const question& q) {
    const shape& w = p.w.dims;
    const auto channels = std::int64_t(l.least), most = 256 * channels, most_rows = std::int64_t(l.most);
    std::int64_t rows = w[1] / channels + (w[1] % channels != 0), dilation = 1;
    for (const window_axis& a : p.window) {
        if (rows <= most_rows) rows *= std::min(a.kernel, most_rows + 1);
        dilation = std::max(dilation, a.dilation);
    }
    if (rows > most_rows)
        return "its kernel takes " + std::to_string(rows) + " rows of " + q.library() + "'s buffer, of " +
               std::to_string(most_rows);
    return w[0] > most || dilation > most / std::max<std::int64_t>(1, w[1])
               ? "it has more channels, or these times its dilation, than the " + std::to_string(most) + " of " +
                     q.library()
               : "";
}
std::string fault(const limit& l, const conv_prim& p, const question& q) {
    if (l.kind == limit_kind::depthwise && (p.groups == 1 || !p.depthwise() || p.w.dims[0] != p.groups))
        return "it has " + std::to_string(p.groups) + " groups, and " + q.library() +
               "'s operation one or one for each channel, with one result";
    if (l.kind == limit_kind::kernel_fits) return fault_of_kernel(l, p, q);
    if (l.kind == limit_kind::dilation_or_groups && p.dilated() && p.groups > 1 && !p.depthwise())
        return "it is dilated and has groups, and " + q.library() + "'s operation is one of both";
    if (l.kind == limit_kind::channels_or_one && p.groups > 1 && !p.depthwise())
        return "it has " + std::to_string(p.groups) + " groups, and " + q.library() +
               "'s operation one or one for each channel";
    if (l.kind == limit_kind::constant_bias && p.bias && !p.bias->constant)
        return "the bias is not a constant, which " + q.library() + "'s operation requires";
    if (std::string reason = fault_of_weights(l, p, q) + fault_of_groups(l, p.groups, q) + fault_of_codes(l, p, q);
        !reason.empty())
        return reason;
    return fault_of_window(l, p, q);
}
std::string fault(const limit& l, const deconv_prim& p, const question& q) {
    if (l.kind == limit_kind::no_more_zeros || l.kind == limit_kind::zeros_below_stride)
        for (const window_axis& a : p.window)
            if (-a.after > (l.kind == limit_kind::no_more_zeros ? 0 : a.stride - 1))
                return "its result is longer by " + std::to_string(-a.after) + " than what its kernel reaches, which " +
                       q.library() + "'s operation does not make";
    if (std::string reason = fault_of_weights(l, p, q) + fault_of_groups(l, p.groups, q); !reason.empty())
        return reason;
    return fault_of_window(l, p, q);
}
std::string fault(const limit& l, const dense_prim& p, const question& q) {
    if (l.kind == limit_kind::rows_only && p.x.dims.rank != 2) return "it is of more than rows";
    return fault_of_weights(l, p, q) + fault_of_codes(l, p, q);
}
std::string fault(const limit& l, const matmul_prim& p, const question& q) {
    const shape &a = p.a.dims, &b = p.b.dims;
    if (l.kind != limit_kind::equal_batches ||
        (a.rank >= 2 && a.rank == b.rank && std::equal(a.begin(), a.end() - 2, b.begin())))
        return {};
    return "it multiplies " + to_string(a) + " by " + to_string(b) + ", and " + q.library() +
           " matrices of equal batches";
}
// Whether the means of a library with the limit `counts_image` are right: not on an axis of one element or one window
// with padding, nor on processors with fp16 where the pads of the two sides differ.
bool counts_well(const pool_prim& p, const question& q) {
    const bool halves = q.to.half_floats.value_or(false);
    return std::ranges::all_of(p.window, [&](const window_axis& a) {
        const bool even = a.before == a.after;
        if (halves && a.kernel > a.in && !even) return false;
        if (a.before == 0 && a.after == 0) return true;
        if (p.counts_padding) return !halves || p.y.is_quantized();
        return a.in > 1 && a.out > 1 && (!halves || p.y.is_quantized() || even);
    });
}
std::string fault(const limit& l, const pool_prim& p, const question& q) {
    const auto any = [&](auto f) { return std::ranges::any_of(p.window, f); };
    switch (l.kind) {
        case limit_kind::no_indices:
            return p.gives_indices
                       ? "the indices of the maxima are wanted, which " + q.library() + "'s operation does not give"
                       : "";
        case limit_kind::no_window_in_padding:
            return any([](const window_axis& a) {
                const std::int64_t reach = (a.kernel - 1) * a.dilation + 1;
                return a.before >= reach || a.after >= reach;
            })
                       ? "a window may lie in the padding alone"
                       : "";
        case limit_kind::no_counted_padding:
            return p.does == pooling::average && p.counts_padding &&
                           any([](const window_axis& a) { return a.before > 0 || a.after > 0; })
                       ? "count_include_pad is set, and " + q.library() + "'s means are over the elements of the image"
                       : "";
        case limit_kind::counted_padding:
            return p.is_padded() && !p.counts_padding
                       ? "it leaves pads out of means, and " + q.library() + " counts them"
                       : "";
        case limit_kind::no_past_padding:
            return p.does == pooling::average && p.counts_padding && p.past_padding
                       ? "count_include_pad is set, and the last windows reach beyond the padding"
                       : "";
        case limit_kind::natural_if_padded:
            return p.is_padded() && !p.x.never_negative
                       ? "it is padded and may be negative, and " + q.library() + " pads with 0"
                       : "";
        case limit_kind::counts_image:
            return counts_well(p, q) ? "" : q.library() + " counts other elements of its windows";
        case limit_kind::two_elements:
            return any([](const window_axis& a) { return a.kernel > 1; }) ? "" : "its windows are of one element";
        case limit_kind::whole_image: return p.whole ? "" : "its windows are not the image";
        default: return fault_of_window(l, p, q);
    }
}
std::string fault(const limit& l, const unary_prim& p, const question& q) {
    constexpr float rounding = 1e-6f;
    if (l.kind == limit_kind::factors &&
        (std::abs(p.alpha - l.least) > rounding || std::abs(p.beta - l.most) > rounding))
        return "its alpha and beta are " + std::to_string(p.alpha) + " and " + std::to_string(p.beta) + ", and " +
               q.library() + "'s " + std::to_string(l.least) + " and " + std::to_string(l.most);
    return l.kind == limit_kind::positive && p.alpha <= 0 ? "its alpha is not positive" : "";
}
std::string fault(const limit& l, const clamp_prim& p, const question& q) {
    if (l.kind == limit_kind::apart && p.low == p.high) return "its bounds are one";
    return l.kind != limit_kind::bounds || (p.low == l.least && p.high == l.most)
               ? ""
               : "its bounds are " + std::to_string(p.low) + " and " + std::to_string(p.high) + ", and " + q.library() +
                     "'s others";
}
bool is_number(const operand& x) { return x.constant && x.dims.elements() == 1; }
// Why an operand is not of the result's shape: either, where they may be exchanged.
std::string fault_of_broadcast(const binary_prim& p, const question& q) {
    const bool has_order = p.does == arithmetic::sub || p.does == arithmetic::div;
    const bool second = p.b.dims == p.y.dims && (!has_order || is_number(p.a));
    return second || p.a.dims == p.y.dims ? "" : q.library() + " broadcasts its second operand only";
}
std::string fault(const limit& l, const binary_prim& p, const question& q) {
    if (l.kind == limit_kind::one_whole) return fault_of_broadcast(p, q);
    if (l.kind == limit_kind::number_exponent && (!is_number(p.b) || p.y.dims != p.a.dims))
        return "its exponent is not one constant, which " + q.library() + "'s operation requires";
    if (l.kind == limit_kind::channel_slopes) {
        const shape &x = p.a.dims, &s = p.b.dims;
        const int behind = x.rank == 4 ? 2 : 0, at = s.rank - 1 - behind;  // where the slopes' channels are
        const std::int64_t channels = x[x.rank - 1 - behind];
        if (!p.b.constant || at < 0 || s[at] != channels || s.elements() != channels)
            return "its slopes are " + to_string(s) + ", and " + q.library() + "'s a constant for each channel";
    }
    if (l.kind == limit_kind::no_broadcast && p.a.dims != p.b.dims)
        return "it broadcasts, and " + q.library() + "'s operands are of one shape";
    return l.kind == limit_kind::first_shape && p.y.dims != p.a.dims
               ? "its slopes make the result larger than the input"
               : "";
}
std::string fault(const limit& l, const softmax_prim& p, const question& q) {
    const int rank = p.x.dims.rank;
    if (l.kind == limit_kind::rows_only && (rank > 3 || p.axis != 1)) return "it is not of rows";
    return l.kind == limit_kind::last_axis && p.axis != (rank == 4 ? 1 : rank - 1)
               ? "it is not along the last axis, as " + q.library() + "'s is"
               : "";
}
std::string fault(const limit& l, const select_prim& p, const question& q) {
    const bool same = p.condition.dims == p.y.dims && p.a.dims == p.y.dims && p.b.dims == p.y.dims;
    return l.kind != limit_kind::one_shape || same ? "" : q.library() + "'s operation has one shape for all";
}
std::string fault(const limit& l, const layer_norm_prim& p, const question& q) {
    bool constant = true;
    for (const auto& w : {p.scale, p.shift}) constant &= !w || w->constant;
    return l.kind != limit_kind::constant_weights || constant
               ? ""
               : "Scale or B is not a constant, which " + q.library() + "'s operation requires";
}
std::string fault(const limit& l, const lrn_prim& p, const question& q) {
    if (l.kind != limit_kind::odd_window) return fault_of_window(l, p, q);
    return p.size % 2 ? "" : "its size is " + std::to_string(p.size) + ", and " + q.library() + "'s windows are odd";
}
std::string fault(const limit& l, const pad_prim& p, const question& q) {
    if (l.kind == limit_kind::with_a_constant && p.mode != "constant")
        return "mode is " + std::string(p.mode) + ", and " + q.library() + " pads with a constant here";
    if (l.kind == limit_kind::no_wrap && p.mode == "wrap")
        return "mode is wrap, which " + q.library() + " has not here";
    constexpr float most = 65504;
    if (l.kind == limit_kind::longest_float16 && !(std::abs(p.value) <= most) && p.value != -no_bound)
        return "it pads with a number that fp16 does not have";
    if (l.kind == limit_kind::zeros && p.value != 0) return "it pads with " + std::to_string(p.value);
    const auto negative = [](std::int64_t x) { return x < 0; };
    if (l.kind == limit_kind::no_cut &&
        (std::ranges::any_of(p.before, negative) || std::ranges::any_of(p.after, negative)))
        return "a pad is negative";
    for (std::size_t i = 0; l.kind == limit_kind::mirrored_once && p.mode == "reflect" && i < p.before.size(); ++i)
        if (std::max(p.before[i], p.after[i]) >= p.x.dims[int(i)]) return "a pad is longer than its axis";
    return {};
}
std::string fault(const limit& l, const concat_prim& p, const question& q) {
    const std::size_t n = p.parts.size();
    return l.kind != limit_kind::counts || (float(n) >= l.least && float(n) <= l.most)
               ? ""
               : q.library() + " joins " + std::to_string(int(l.least)) + " to " + std::to_string(int(l.most)) +
                     " tensors, not " + std::to_string(n);
}
std::string fault(const limit& l, const slice_prim& p, const question& q) {
    for (const std::int64_t step : p.step) {
        if (l.kind == limit_kind::forwards && step < 0)
            return "a step is " + std::to_string(step) + ": it goes backwards";
        if (l.kind == limit_kind::unit_steps && step != 1)
            return q.library() + "'s parts have steps of 1, not of " + std::to_string(step);
    }
    return {};
}
std::string fault_of_places(const limit& l, const std::optional<integers>& places, const question& q) {
    if (l.kind == limit_kind::one_place && places && places->size() != 1) return "it gathers several parts";
    if (l.kind != limit_kind::known_places) return {};
    if (!places) return "its indices are no small constant, and " + q.library() + " does not check them";
    return places->empty() ? "it gathers nothing" : "";
}
std::string fault(const limit& l, const gather_prim& p, const question& q) { return fault_of_places(l, p.places, q); }
std::string fault(const limit& l, const arg_prim& p, const question& q) {
    return l.kind == limit_kind::first_of_equals && p.last_of_equals
               ? q.library() + " gives the first of equal elements"
               : "";
}
std::string fault(const limit& l, const top_k_prim& p, const question& q) {
    if (l.kind == limit_kind::last_axis && p.axis != p.x.dims.rank - 1)
        return "it is not along the last axis, as " + q.library() + "'s is";
    return l.kind == limit_kind::no_indices && p.gives_indices
               ? "its indices are wanted, and " + q.library() + " has equal elements in another order"
               : "";
}
std::string fault(const limit& l, const cumulative_sum_prim& p, const question& q) {
    return l.kind == limit_kind::inclusive && (p.exclusive || p.reverse)
               ? "its sums are backwards or without the element itself, and " + q.library() +
                     " has no such sums of floats"
               : "";
}
std::string fault(const limit& l, const lookup_prim& p, const question& q) {
    if (l.kind == limit_kind::no_batches && p.axis != 0) return "its coordinates have batches";
    for (int k = 0; l.kind == limit_kind::whole_other_axes && k < p.x.dims.rank; ++k)
        if (k != p.axis && p.indices.dims[k] != p.x.dims[k]) return "it replaces parts of other axes too";
    return fault_of_places(l, p.places, q);
}
std::string fault(const limit& l, const blocks_prim& p, const question& q) {
    if (l.kind != limit_kind::depth_first) return fault_of_window(l, p, q);
    return p.columns_first ? "mode is CRD, and " + q.library() + "'s operation has DCR" : "";
}
std::string fault(const limit& l, const resize_prim& p, const question& q) {
    if (l.kind == limit_kind::no_crop) {
        if (std::string reason = fault_of_mode(p.facts, q.library()); !reason.empty()) return reason;
        return p.facts.geometry.transformation != resizing::coordinates::crop
                   ? ""
                   : "coordinate_transformation_mode is tf_crop_and_resize, which " + q.library() + " has not";
    }
    for (int i = 0; l.kind == limit_kind::whole_scales && i < p.x.dims.rank; ++i)
        if (p.x.dims[i] < 1 || p.y.dims[i] % p.x.dims[i] != 0)
            return "it resizes by no whole number, and " + q.library() + "'s scale is a float";
    if (l.kind == limit_kind::whole_factors)
        return fault_of_factors(p.facts, q.library(), p.x.dims.rank - 2, "the last two axes");
    if (l.kind == limit_kind::spatial_factors)
        return fault_of_factors(p.facts, q.library(), 2, "the axes behind the channels");
    if (l.kind == limit_kind::pixel_centers) return fault_of_centers(p.facts, q.library());
    if (l.kind == limit_kind::places_below)
        return fault_of_resizing(p.facts, q.library(), "is not " + q.library() + "'s");
    if (l.kind == limit_kind::first_pixels && p.facts.geometry.transformation != resizing::coordinates::asymmetric)
        return "coordinate_transformation_mode is " + std::string(p.facts.coordinates);
    return fault_of_window(l, p, q);
}
template <class P> std::string fault(const limit& l, const P& p, const question& q) {
    if constexpr (requires { p.x; }) return fault_of_window(l, p, q);
    return {};
}

// Of every primitive.
template <class P> std::string fault_of_halves(const limit& l, const P& p, const question& q) {
    return l.kind == limit_kind::half_floats && !p.y.is_quantized() && !q.to.half_floats.value_or(true)
               ? q.library() + " has it for processors with fp16, and this is none"
               : "";
}

// What a version that lifts a limit has.
std::string_view lifted(limit_kind k) {
    switch (k) {
        case limit_kind::undilated: return "dilated convolutions";
        case limit_kind::channels_or_one: return "grouped convolutions";
        case limit_kind::zeros: return "pads other than 0";
        case limit_kind::last_axis: return "Softmax along any axis";
        case limit_kind::first_pixels: return "images resized by aligned corners or pixels' centers";
        default: return "the operation";
    }
}

// --- types
bool fits(scale_rule rule, const std::vector<const operand*>& inputs, const operand& y) {
    const quantisation& c = *y.quantized;
    const bool has_sign = y.type == element::i8;
    switch (rule) {
        case scale_rule::any: return true;
        case scale_rule::same: return *inputs[0]->quantized == c;
        case scale_rule::unit: return c.scales[0] == 1.f / 256 && c.zero == (has_sign ? -128 : 0);
        case scale_rule::both_signs: return c.scales[0] == 1.f / 128 && c.zero == (has_sign ? 0 : 128);
        default:
            return inputs.size() == 2 &&
                   c.scales[0] > inputs[0]->quantized->scales[0] * inputs[1]->quantized->scales[0];
    }
}
template <class P> std::string fault_of_types(const rule& r, const P& p, const question& q) {
    if constexpr (std::is_same_v<P, quantize_prim> || std::is_same_v<P, dequantize_prim>) {
        const bool quantizes = std::is_same_v<P, quantize_prim>;
        const operand &floats = quantizes ? p.x : p.y, &integers = quantizes ? p.y : p.x;
        if (!r.types.has(floats.type)) return type_text(q, floats.type);
        return r.quantized.has(integers.type) ? "" : type_text(q, integers.type);
    } else {
        std::vector<const operand*> inputs;
        each_input(p, [&](const operand& x) { inputs.push_back(&x); });
        if (q.to.rules->tensors.plain_bytes || !p.y.is_quantized()) {
            for (const operand* x : inputs)
                if (!r.types.has(x->type)) return type_text(q, x->type);
            return (r.results.bits ? r.results : r.types).has(p.y.type) ? "" : type_text(q, p.y.type);
        }
        if (q.older_than(q.to.rules->quantized))
            return q.since("operations on integers of 8 bits", q.to.rules->quantized);
        if (!r.quantized.has(p.y.type)) return q.library() + " does not have it on integers of 8 bits";
        for (const operand* x : inputs)
            if (q.to.rules->tensors.mixes_codes ? !x->is_quantized() : x->type != p.y.type)
                return "its operands and its result are of different types";
        return fits(r.scale, inputs, p.y) ? "" : q.library() + " has another scale of its result";
    }
}
// Of a library whose scales are powers of two.
std::string fault_of_scales(const quantisation& c, const std::string& library) {
    int exponent = 0;
    const std::int32_t zero = c.zero - (c.type == element::u8 ? 128 : 0);
    if (std::ranges::any_of(c.scales, [&](float s) { return s != c.scales[0]; }))
        return "it has a scale for each channel, and " + library + " one for all";
    if (std::frexp(c.scales[0], &exponent) != 0.5f)
        return "its scale is " + std::to_string(c.scales[0]) + ", and " + library + "'s are powers of two";
    return zero == 0 ? "" : "its zero point is " + std::to_string(zero) + ", and " + library + " has none";
}
template <class P> std::string fault_of_tensors(P p, const target& t) {
    std::string reason;
    if (t.rules->tensors.powers_of_two)
        each_parameter(p, [&](const operand& w) {
            if (reason.empty() && w.quantized) reason = fault_of_scales(*w.quantized, std::string(t.rules->library));
        });
    each_input(p, [&](const operand& x) {
        if (reason.empty()) reason = refusal_of_tensor(t, x);
    });
    return reason.empty() ? refusal_of_tensor(t, p.y) : reason;
}
// progress: how far the rule went; of several that refuse, the one that went farthest gives the reason, before those of
// other types.
template <class P> std::string refusal_by(const rule& r, const P& p, const question& q, int& progress) {
    progress = 0;
    if (q.older_than(r.since)) return q.since("the operation", r.since);
    progress = 1;
    for (const limit& l : r.limits) {
        std::string reason = fault(l, p, q);
        if (reason.empty()) reason = fault_of_halves(l, p, q);
        if (reason.empty()) {
            ++progress;
            continue;
        }
        if (l.until.empty()) return reason;
        if (q.older_than(l.until)) return q.since(lifted(l.kind), l.until);
        ++progress;
    }
    if (const int rank = data_of(p).dims.rank; rank < r.least_rank || rank > r.most_rank)
        return std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") + ", and " + q.library() +
               "'s operation has it for " + std::to_string(r.least_rank) + " to " + std::to_string(r.most_rank);
    return fault_of_types(r, p, q);
}
}  // namespace

bool is_older(std::string_view a, std::string_view b) {
    const auto next = [](std::string_view& text) {
        const std::size_t from = std::min(text.find_first_of("0123456789"), text.size());
        const std::size_t end = std::min(text.find_first_not_of("0123456789", from), text.size());
        int number = -1;
        std::from_chars(text.data() + from, text.data() + end, number);
        text.remove_prefix(end);
        return number;
    };
    while (!a.empty() || !b.empty())
        if (const int x = next(a), y = next(b); x != y) return x < y;
    return false;
}
std::string refusal_of_tensor(const target& t, const operand& x) {
    const tensor_rules& rules = t.rules->tensors;
    const question q{t, {}};
    if (x.is_quantized() && !rules.plain_bytes) {
        if (x.constant && !rules.constant_codes) return "its integers are a constant";
        if (!x.quantized) return "what its integers of 8 bits stand for is not one scale that is known before the run";
    }
    if (x.dims.rank > rules.most_rank)
        return "a tensor has " + std::to_string(x.dims.rank) + " dimensions, and " + q.library() +
               "'s operations take " + std::to_string(rules.most_rank) + " at most";
    const std::int64_t most = rules.most_bytes / 4;
    std::int64_t elements = 1;
    for (const std::int64_t d : x.dims) {
        if (d < 1 && !rules.empty)
            return q.library() + " gets no tensors without elements here, as that of shape " + to_string(x.dims);
        if (d > most || (d > 0 && elements > most / d))
            return "a tensor of shape " + to_string(x.dims) + " is too large for " + q.library();
        elements *= d;
    }
    if (x.type == element::f16 && !t.half_floats.value_or(true))
        return q.library() + " has tensors of them for processors with fp16, and this is none";
    if (x.type == element::i8 && q.older_than(rules.int8)) return q.since("signed integers of 8 bits", rules.int8);
    if (std::ranges::none_of(t.rules->rules, [&](const rule& r) {
            return r.types.has(x.type) || r.quantized.has(x.type) || r.results.has(x.type);
        }))
        return type_text(q, x.type);
    return rules.powers_of_two && x.quantized ? fault_of_scales(*x.quantized, q.library()) : "";
}
std::string refusal_by(const target& t, const primitive& p, std::string_view op) {
    const question q{t, op};
    return std::visit(
        [&](const auto& prim) {
            const auto speaks = [&](const rule& r) { return r.of == kind_of(p) && (r.functions >> which(prim) & 1); };
            std::string reason = q.library() + " has no operation for " + std::string(op) + " here";
            if (kind_of(p) == kind::matmul && t.rules->has(kind::dense))
                reason = q.library() + " has no products here but by a matrix that is a constant";
            if (std::ranges::none_of(t.rules->rules, speaks)) return reason;
            if (std::string fault = fault_of_tensors(prim, t); !fault.empty()) return fault;
            int farthest = std::numeric_limits<int>::min();
            for (const rule& r : t.rules->rules) {
                if (!speaks(r)) continue;
                int progress = 0;
                std::string rule_refusal = refusal_by(r, prim, q, progress);
                if (rule_refusal.empty()) return rule_refusal;
                if (!fault_of_types(r, prim, q).empty())
                    progress -= int(r.limits.size()) + 2;  // another rule is nearer
                if (progress < farthest) continue;
                farthest = progress;
                reason = std::move(rule_refusal);
            }
            return reason;
        },
        p);
}
std::string refusal_of_steps(const target& t, const node_view& n) {
    const question q{t, n.record.op};
    const auto operators = t.rules->unrolled;
    const auto at = std::ranges::find(operators, n.record.op, &unrolled_operator::op);
    if (at == operators.end()) return q.library() + " has no operation for " + std::string(n.record.op) + " here";
    if (at->single_floats && t.half_floats.value_or(false))
        return q.library() + " computes other results of it in fp16";
    const std::int64_t steps = n.input(0).dims[0] * (n.text("direction", "forward") == "bidirectional" ? 2 : 1);
    return steps <= at->most_steps
               ? ""
               : "it has " + std::to_string(steps) + " steps, which are written one by one: more than " +
                     std::to_string(at->most_steps);
}
order_rule order_of(const target& t, const primitive& p) {
    const int function_index = std::visit([](const auto& x) { return which(x); }, p);
    for (const rule& r : t.rules->rules)
        if (r.of == kind_of(p) && (r.functions >> function_index & 1)) return r.order;
    return usual_order(kind_of(p));
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
