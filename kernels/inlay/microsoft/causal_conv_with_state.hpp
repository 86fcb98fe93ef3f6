// CausalConvWithState (com.microsoft, since 1): y[t] = activation(bias + sum over taps j of weight[j] z[t + j
// dilation]) for each channel, where z is past_state, or zeros, and then the input. present_state is the end of z,
// (taps - 1) dilation elements; with state_window W > 0 it is W of them, as they were after each of the last positions,
// 0 for those before the first one, and past_state has the last. Channels are the second axis, or with channels_last
// those after the positions. Inputs: input, weight, bias, past_state.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct causal_conv_params {
    std::int64_t batches = 0, channels = 0, length = 0, taps = 0, dilation = 1, window = 0;
    bool channels_last = false, silu = false;
    presence has{};
    constexpr std::int64_t kept() const { return (taps - 1) * dilation; }
    constexpr std::int64_t slots() const { return window > 0 ? window : 1; }
    // Where element t of a channel of a batch is, of `count` elements.
    constexpr std::int64_t at(std::int64_t b, std::int64_t c, std::int64_t t, std::int64_t count) const {
        return channels_last ? (b * count + t) * channels + c : (b * channels + c) * count + t;
    }
    static constexpr verdict read(const node_view& n, causal_conv_params& p) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing here overflows
        p.has = presence(n);
        for (int k : {0, 1})
            if (!p.has.has_in(k)) return no("input or weight is missing");
        if (n.integer("ndim", 1) != 1)
            return no("only one axis of positions is supported: the padding of others is not given");
        p.channels_last = n.integer("channels_last", 0) != 0;
        p.dilation = n.integer("dilation", 1);
        p.window = n.integer("state_window", 0);
        const std::string_view activation = n.text("activation", "none");
        p.silu = activation == "silu" || activation == "swish";
        if (!p.silu && activation != "none") return no("activation must be silu, swish or none");
        if (p.dilation < 1 || p.dilation > most) return no("dilation must be positive");
        if (p.window < 0 || p.window > 8) return no("state_window must be 0 to 8");
        for (int k = 0; k < 4; ++k)
            if (p.has.has_in(k) && !n.input(k).dims.known()) return yes();
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        if (p.channels_last ? x.rank < 3 : x.rank != 3)
            return no("the input must be [batch, channels, positions], or channels last");
        if (!countable(x)) return no("the input is too large");
        if (p.window > 0 && x.rank == max_rank) return no("there are too many axes");
        p.batches = x[0];
        p.channels = p.channels_last ? x.elements(2) : x[1];
        p.length = x[p.channels_last ? 1 : 2];
        if (w.rank != 3 || w[0] != p.channels || w[1] != 1 || w[2] < 1 || w[2] > most)
            return no("weight must be [channels, 1, taps]");
        p.taps = w[2];
        if (p.has.has_in(2) && n.input(2).dims != shape{p.channels}) return no("bias must have one number per channel");
        if (!countable({p.slots(), p.batches, p.channels, p.kept()}) || !countable({p.length, p.taps}))
            return no("the state is too large");
        return !p.has.has_in(3) || n.input(3).dims == p.state_of(x) ? yes() : no("past_state does not fit the input");
    }
    constexpr shape state_of(const shape& x) const {
        shape s;
        if (window > 0) s.push_back(window);
        for (int i = 0; i < x.rank; ++i) s.push_back(i == (channels_last ? 1 : 2) ? kept() : x[i]);
        return s;
    }
};
namespace op {
struct microsoft_causal_conv_with_state : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "CausalConvWithState";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr cached_pairs caches(const node_view& n) {
        return {{{3, 1, -1, cached_pair::form::state, 0, n.integer("channels_last", 0) != 0 ? 1 : 2}}};
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 4) return no("there are too many inputs");
        causal_conv_params p;
        if (const verdict v = causal_conv_params::read(n, p); !v) return v;
        y[0] = n.input(0).dims;
        if (p.taps > 0 && y.size() > 1) y[1] = p.state_of(n.input(0).dims);
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::microsoft_causal_conv_with_state, device::reference, types<T>> : simple_kernel {
    using params = causal_conv_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2, 3})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)params::read(n, p);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.batches * p.channels, 1 + 16384 / (p.length * p.taps + 1),
                [&](std::int64_t first, std::int64_t end, int) {
                    stop_check stops(c);
                    for (std::int64_t i = first; i < end; ++i) {
                        if (stops(p.length * p.taps)) return;
                        convolve(p, a, i / p.channels, i % p.channels);
                        keep(p, a, i / p.channels, i % p.channels);
                    }
                });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    // Element t of a channel of z.
    static T element_at(const params& p, const arguments& a, std::int64_t b, std::int64_t c, std::int64_t t) noexcept {
        if (t >= p.kept()) return a.in<T>(0)[p.at(b, c, t - p.kept(), p.length)];
        const T* past = p.has.in<T>(a, 3);
        return past ? past[(p.slots() - 1) * p.batches * p.channels * p.kept() + p.at(b, c, t, p.kept())] : T(0.f);
    }
    static void convolve(const params& p, const arguments& a, std::int64_t b, std::int64_t c) noexcept {
        const T *w = a.in<T>(1) + c * p.taps, *bias = p.has.in<T>(a, 2);
        for (std::int64_t t = 0; t < p.length; ++t) {
            double sum = bias ? double(static_cast<float>(bias[c])) : 0;
            for (std::int64_t j = 0; j < p.taps; ++j)
                sum += double(static_cast<float>(w[j])) *
                       double(static_cast<float>(element_at(p, a, b, c, t + j * p.dilation)));
            a.out<T>(0)[p.at(b, c, t, p.length)] = static_cast<T>(float(p.silu ? sum / (1 + std::exp(-sum)) : sum));
        }
    }
    static void keep(const params& p, const arguments& a, std::int64_t b, std::int64_t c) noexcept {
        T* state = p.has.out<T>(a, 1);
        for (std::int64_t slot = 0; state && slot < p.slots(); ++slot) {
            T* to = state + slot * p.batches * p.channels * p.kept();
            const std::int64_t from = p.length - p.slots() + slot + 1;  // so many positions came before
            for (std::int64_t t = 0; t < p.kept(); ++t)
                to[p.at(b, c, t, p.kept())] = p.window > 0 && from < 1 ? T(0.f) : element_at(p, a, b, c, from + t);
        }
    }
};
}  // namespace v1
}  // namespace inlay
