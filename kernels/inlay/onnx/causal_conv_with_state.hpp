// CausalConvWithState (since 27): a convolution of each channel of [batches, channels, length] along the last axis with
// k weights of its own, which sees the k - 1 elements before each: those of past_state, or zeros, before the first.
// present_state: the last k - 1 elements of past and input. `activation`: silu, also called swish, or none. Inputs:
// input, weight [channels, 1, k], bias, past_state.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <algorithm>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct causal_conv_with_state : standard {
    static constexpr std::string_view onnx_name = "CausalConvWithState";
    static constexpr version_range versions{27, 27};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 2;
    static constexpr cached_pairs caches(const node_view&) { return {{{3, 1, -1, cached_pair::form::state, 0, 2}}}; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const auto a = n.text("activation", "none"); a != "none" && a != "silu" && a != "swish")
            return no("activation is none of none, silu, swish");
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        for (int k = 1; k < n.input_count(); ++k)
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs are of different types");
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        y[0] = x;
        if (x.rank >= 0 && x.rank != 3) return no("the input is not [batches, channels, length]");
        if (w.rank >= 0 && w.rank != 3) return no("the weight is not [channels, 1, k]");
        if (x.rank < 0 || w.rank < 0) return yes();
        if ((w[0] >= 0 && x[1] >= 0 && w[0] != x[1]) || (w[1] >= 0 && w[1] != 1) || w[2] == 0)
            return no("the weight is not [channels, 1, k]");
        const shape state{x[0], x[1], w[2] < 0 ? -1 : w[2] - 1};
        if (y.size() > 1) y[1] = state;
        if (n.has_input(2)) {
            const shape& b = n.input(2).dims;
            if (b.rank >= 0 && (b.rank != 1 || (b[0] >= 0 && x[1] >= 0 && b[0] != x[1])))
                return no("the bias is not [channels]");
        }
        if (n.has_input(3) && n.input(3).dims.known() && state.known() && n.input(3).dims != state)
            return no("past_state is not [batches, channels, k - 1]");
        return yes();
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        const shape w = s.input(1);
        return w.rank == 3 && w.known() ? 2 * count_of(s.input(0)) * double(w[2]) : 0;
    }
};
}  // namespace op

template <class T> struct kernel<op::causal_conv_with_state, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t batches, channels, length, taps;
        bool biased, continued, silu, keeps;  // keeps: present_state is required
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[0],
                x[1],
                x[2],
                n.input(1).dims[2],
                n.has_input(2),
                n.has_input(3),
                n.text("activation", "none") != "none",
                n.has_output(1)};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        if (p.batches * p.channels == 0) return {};
        return {0, (2 * p.length + p.taps - 1) * std::int64_t(sizeof(float)) * (threads > 1 ? threads : 1)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t before = p.taps - 1, row_size = 2 * p.length + before;
        c.split(p.batches * p.channels, 1 + (1 << 14) / (1 + p.length * p.taps),
                [&](std::int64_t first, std::int64_t end, int part) {
                    float* row = reinterpret_cast<float*>(c.scratch) + part * row_size;
                    for (std::int64_t i = first; i < end; ++i) convolve(p, a, i, row, row + before + p.length);
                });
        return status::ok;
    }

  private:
    static void convolve(const params& p, const arguments& a, std::int64_t i, float* row, float* sums) noexcept {
        const std::int64_t before = p.taps - 1, channel = i % p.channels;
        const T *past = p.continued ? a.in<T>(3) + i * before : nullptr, *x = a.in<T>(0) + i * p.length,
                *w = a.in<T>(1) + channel * p.taps;
        for (std::int64_t k = 0; k < before; ++k) row[k] = past ? static_cast<float>(past[k]) : 0;
        for (std::int64_t k = 0; k < p.length; ++k) row[before + k] = static_cast<float>(x[k]);
        std::fill_n(sums, p.length, p.biased ? static_cast<float>(a.in<T>(2)[channel]) : 0.f);
        for (std::int64_t tap = 0; tap < p.taps; ++tap) {
            const float by = static_cast<float>(w[tap]), *from = row + tap;
            for (std::int64_t k = 0; k < p.length; ++k) sums[k] += by * from[k];
        }
        T* y = a.out<T>(0) + i * p.length;
        for (std::int64_t k = 0; k < p.length; ++k)
            y[k] = static_cast<T>(p.silu ? sums[k] / (1 + std::exp(-sums[k])) : sums[k]);
        // From the inputs themselves, so that their bits are preserved.
        for (std::int64_t k = 0; k < before && p.keeps; ++k) {
            const std::int64_t at = p.length + k;
            a.out<T>(1)[i * before + k] = at >= before ? x[at - before] : past ? past[at] : T(0.f);
        }
    }
};
}  // namespace v1
}  // namespace inlay
