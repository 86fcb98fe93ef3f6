// DeformConv (since 19): Y[n, m, o] = B[m] + sum over c, k of W[m, c, k] mask[n, g, k, o] X[n, c, o * stride + k *
// dilation - pad + offset[n, g, k, :, o]], in groups of channels, over any number of spatial axes. Places between
// elements are linear means of their neighbours, those outside are zero; channels have offsets and masks in
// offset_group groups.
#pragma once
#include "conv.hpp"
#include <inlay/support/presence.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct deform_conv : standard {
    static constexpr std::string_view onnx_name = "DeformConv";
    static constexpr version_range versions{19, 22};
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    // Input k must have the output's batch and spatial axes, and so many channels.
    static constexpr bool fits(const node_view& n, int k, const shape& y, std::int64_t channels) {
        const shape& s = n.input(k).dims;
        if (s.rank < 0 || y.rank < 0) return true;
        const auto differ = [](std::int64_t a, std::int64_t b) { return a >= 0 && b >= 0 && a != b; };
        if (s.rank != y.rank || differ(s[0], y[0]) || differ(s[1], channels)) return false;
        for (int i = 2; i < y.rank; ++i)
            if (differ(s[i], y[i])) return false;
        return true;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("X, W or the offsets are missing");
        for (int k : {1, 2, 3, 4})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs differ in type");
        if (n.has("auto_pad")) return no("there is no auto_pad");
        convolution c;
        if (const verdict v = convolution::read(n, c, y[0], 1, 3); !v) return v;
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        const std::int64_t groups = n.integer("offset_group", 1);
        if (groups < 1) return no("offset_group must be positive");
        if (x.rank < 0 || w.rank < 0) return yes();
        if (x[1] >= 0 && x[1] % groups != 0) return no("the offset groups do not divide the channels");
        std::int64_t taps = groups,
                     sampled = x[1] < 0 ? 1 : x[1];  // elements of offsets, and of W's inputs, at one place
        for (int i = 2; i < w.rank; ++i) {
            if (w[i] < 0) return yes();
            if (!multiplied(taps, w[i]) || !multiplied(sampled, w[i])) return no("W is too large");
        }
        if (taps > most_elements || sampled > most_elements / 512) return no("W is too large");
        if (!fits(n, 2, y[0], taps * (x.rank - 2)))
            return no("the offsets are not of the output's places, the kernel's elements and the axes");
        if (n.has_input(4) && !fits(n, 4, y[0], taps))
            return no("the mask is not of the output's places and the kernel's elements");
        return yes();
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        return flop_of_windows(s.output(0), s.input(1));
    }
};
}  // namespace op

struct deformation {
    static constexpr int most_axes = max_rank - 2;
    convolution axes;
    shape steps;                                                               // of X's spatial axes
    std::int64_t batch, channels, size, outputs, places, taps, offset_groups;  // taps: elements of the kernel
    presence has;
    static constexpr deformation of(const node_view& n) {
        deformation d{};
        shape y;
        (void)convolution::read(n, d.axes, y, 1, 3);
        const shape& x = n.input(0).dims;
        const shape strides = strides_of(x, layout::plain);
        for (int i = 2; i < x.rank; ++i) d.steps.push_back(strides[i]);
        d.batch = x[0];
        d.channels = x[1];
        d.size = x.elements(2);
        d.outputs = n.input(1).dims[0];
        d.places = n.output(0).dims.elements(2);
        d.taps = n.input(1).dims.elements(2);
        d.offset_groups = n.integer("offset_group", 1);
        d.has = presence(n);
        return d;
    }
};

template <class T> struct kernel<op::deform_conv, device::reference, types<T>> : simple_kernel {
    using params = deformation;
    using A = accumulator<T>;
    static constexpr params prepare(const node_view& n) { return deformation::of(n); }
    static constexpr std::int64_t column_bytes(const params& p) {  // of the places of one output, of all channels
        return (p.channels * p.taps * std::int64_t(sizeof(A)) + 63) / 64 * 64;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * column_bytes(p)};
    }
    // The neighbours of one place: 2 along each axis.
    struct corners {
        int count = 0;
        std::int64_t at[1 << deformation::most_axes];
        A weight[1 << deformation::most_axes];
        void find(const params& p, const A* place) noexcept {
            count = 1;
            at[0] = 0;
            weight[0] = 1;
            for (int i = 0; i < p.steps.rank; ++i) {
                const std::int64_t length = p.axes.input[i];
                if (!(place[i] > A(-1) && place[i] < A(length))) {
                    count = 0;
                    return;
                }
                const A below = std::floor(place[i]), r = place[i] - below;
                const std::int64_t first = std::int64_t(below), step = p.steps[i];
                int corner_count = 0;
                std::int64_t next[1 << deformation::most_axes];
                A factor[1 << deformation::most_axes];
                for (int k = 0; k < count; ++k)
                    for (int far = 0; far < 2; ++far)
                        if (first + far >= 0 && first + far < length) {
                            next[corner_count] = at[k] + (first + far) * step;
                            factor[corner_count++] = weight[k] * (far ? r : 1 - r);
                        }
                count = corner_count;
                std::copy_n(next, corner_count, at);
                std::copy_n(factor, corner_count, weight);
            }
        }
    };
    // W's inputs at output place o of batch n: [channel, kernel element].
    static void sample(const params& p, const arguments& a, std::int64_t n, std::int64_t o, A* to) noexcept {
        const int axes = p.steps.rank;
        const std::int64_t share = p.channels / p.offset_groups;
        const T* mask = p.has.in<T>(a, 4);
        corners near;
        for (std::int64_t g = 0; g < p.offset_groups; ++g)
            for (std::int64_t k = 0; k < p.taps; ++k) {
                const std::int64_t tap = (n * p.offset_groups + g) * p.taps + k;
                A place[deformation::most_axes];
                std::int64_t rest_o = o, rest_k = k;
                for (int i = axes - 1; i >= 0; --i) {
                    const auto& c = p.axes;
                    const std::int64_t whole =
                        rest_o % c.output[i] * c.strides[i] + rest_k % c.kernel[i] * c.dilations[i] - c.pads[i];
                    place[i] = static_cast<A>(whole) + static_cast<A>(a.in<T>(2)[(tap * axes + i) * p.places + o]);
                    rest_o /= c.output[i];
                    rest_k /= c.kernel[i];
                }
                near.find(p, place);
                const A factor = mask ? static_cast<A>(mask[tap * p.places + o]) : A(1);
                for (std::int64_t channel = g * share; channel < (g + 1) * share; ++channel) {
                    const T* x = a.in<T>(0) + (n * p.channels + channel) * p.size;
                    A sum = 0;
                    for (int i = 0; i < near.count; ++i) sum += near.weight[i] * static_cast<A>(x[near.at[i]]);
                    to[channel * p.taps + k] = factor * sum;
                }
            }
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t group = p.axes.group, inner = p.channels / group * p.taps, share = p.outputs / group,
                           work = 1 + p.channels * p.taps * (4 + share);
        const T* bias = p.has.in<T>(a, 3);
        c.split(p.batch * p.places, 1 + 16384 / work, [&](std::int64_t first, std::int64_t end, int part) {
            A* column = reinterpret_cast<A*>(c.scratch + part * column_bytes(p));
            stop_check ends(c);
            for (std::int64_t i = first; i < end && !ends(work); ++i) {
                const std::int64_t n = i / p.places, o = i % p.places;
                sample(p, a, n, o, column);
                for (std::int64_t m = 0; m < p.outputs; ++m) {
                    const T* w = a.in<T>(1) + m * inner;
                    const A* x = column + m / share * inner;
                    A sum = bias ? static_cast<A>(bias[m]) : A(0);
                    for (std::int64_t k = 0; k < inner; ++k) sum += static_cast<A>(w[k]) * x[k];
                    a.out<T>(0)[(n * p.outputs + m) * p.places + o] = static_cast<T>(sum);
                }
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
