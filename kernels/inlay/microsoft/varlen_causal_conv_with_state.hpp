// VarlenCausalConvWithState (com.microsoft, since 1): CausalConvWithState, channels last, of sequences that lie one
// after the other: y[t] = activation(bias + sum over taps j of weight[j] z[t + j dilation]) for each channel of a
// sequence, where z is initial_state and then its tokens. final_state is the end of z, (taps - 1) dilation elements;
// state_update has the first capture_count tokens of each sequence, state_update_capacity at most, and zeros after
// them. kernel_delta and previous_mask, which GPUs' kernels have, are refused. Inputs: input [tokens, channels], weight
// [channels, 1, taps], cumulative_sequence_length, bias, initial_state [batch, channels, elements], capture_count.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct varlen_conv_params {
    std::int64_t batches = 0, tokens = 0, channels = 0, taps = 0, dilation = 1, capacity = 0;
    bool silu = false;
    presence has{};
    constexpr std::int64_t kept() const { return (taps - 1) * dilation; }
    constexpr verdict read(const node_view& n) {
        has = presence(n);
        for (int k : {0, 1, 2, 4})
            if (!has.has_in(k)) return no("input, weight, cumulative_sequence_length or initial_state is missing");
        if (has.has_in(6) || has.has_in(7)) return no("kernel_delta and previous_mask are not supported");
        const std::string_view activation = n.text("activation", "none");
        silu = activation == "silu" || activation == "swish";
        if (!silu && activation != "none") return no("activation must be silu, swish or none");
        dilation = n.integer("dilation", 1);
        if (dilation < 1 || dilation > std::int64_t(1) << 24) return no("dilation must be positive");
        capacity = n.integer("state_update_capacity", 0);
        if (capacity < 0 || capacity > 8) return no("state_update_capacity must be 0 to 8");
        return has.has_in(5) == (capacity > 0)
                   ? yes()
                   : no("capture_count is there exactly where state_update_capacity is positive");
    }
    constexpr verdict read_shapes(const node_view& n) {  // where all of them are known
        const shape &x = n.input(0).dims, &w = n.input(1).dims, &cuts = n.input(2).dims;
        if (x.rank != 2) return no("input must be [tokens, channels]");
        tokens = x[0];
        channels = x[1];
        if (w.rank != 3 || w[0] != channels || w[1] != 1 || w[2] < 1 || w[2] > std::int64_t(1) << 24)
            return no("weight must be [channels, 1, taps]");
        taps = w[2];
        if (cuts.rank != 1 || cuts[0] < 1)
            return no("cumulative_sequence_length must have one number more than there are sequences");
        batches = cuts[0] - 1;
        if (has.has_in(3) && n.input(3).dims != shape{channels}) return no("bias must have one number per channel");
        if (n.input(4).dims != shape{batches, channels, kept()})
            return no("initial_state must be [batch, channels, (taps - 1) * dilation]");
        if (has.has_in(5) && n.input(5).dims != shape{batches})
            return no("capture_count must have one number per sequence");
        return countable({batches, channels, kept() + capacity + 1}) ? yes() : no("the state is too large");
    }
};
namespace op {
struct varlen_causal_conv_with_state : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "VarlenCausalConvWithState";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 8) return no("there are too many inputs");
        varlen_conv_params p;
        if (const verdict v = p.read(n); !v) return v;
        y[0] = n.input(0).dims;
        if (y.size() > 1) y[1] = n.input(4).dims;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        if (const verdict v = p.read_shapes(n); !v) return v;
        if (y.size() > 2) y[2] = {p.batches, p.capacity, p.channels};
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::varlen_causal_conv_with_state, device::reference, types<T>> : simple_kernel {
    using params = varlen_conv_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 3, 4})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        for (int k : {2, 5})
            if (n.has_input(k) && n.input(k).type != element::i32)
                return no("cumulative_sequence_length and capture_count must be int32");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        (void)p.read_shapes(n);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int32_t* cuts = a.in<std::int32_t>(2);
        for (std::int64_t b = 0; b < p.batches; ++b)
            if (cuts[0] != 0 || cuts[b] >= cuts[b + 1] || cuts[p.batches] != p.tokens)
                return c.fail("cumulative_sequence_length must ascend from 0 to the number of tokens");
        if (p.batches == 0 && (cuts[0] != 0 || p.tokens != 0))
            return c.fail("cumulative_sequence_length must ascend from 0 to the number of tokens");
        c.split(p.batches * p.channels, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check stops(c);
            for (std::int64_t i = first; i < end; ++i) {
                const sequence s{p, a, i / p.channels, i % p.channels};
                if (!s.convolve(stops)) return;
                s.keep();
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    struct sequence {  // a channel of it
        const params& p;
        const arguments& a;
        std::int64_t b, channel;
        std::int64_t begin() const noexcept { return a.in<std::int32_t>(2)[b]; }
        std::int64_t length() const noexcept { return a.in<std::int32_t>(2)[b + 1] - begin(); }
        T token(std::int64_t t) const noexcept { return a.in<T>(0)[(begin() + t) * p.channels + channel]; }
        std::int64_t state_at(std::int64_t t) const noexcept { return (b * p.channels + channel) * p.kept() + t; }
        T element_at(std::int64_t t) const noexcept {  // of z
            return t < p.kept() ? a.in<T>(4)[state_at(t)] : token(t - p.kept());
        }
        bool convolve(stop_check& stops) const noexcept {
            const T *w = a.in<T>(1) + channel * p.taps, *bias = p.has.template in<T>(a, 3);
            for (std::int64_t t = 0; t < length(); ++t) {
                if (stops(p.taps)) return false;
                double sum = bias ? double(static_cast<float>(bias[channel])) : 0;
                for (std::int64_t j = 0; j < p.taps; ++j)
                    sum +=
                        double(static_cast<float>(w[j])) * double(static_cast<float>(element_at(t + j * p.dilation)));
                a.out<T>(0)[(begin() + t) * p.channels + channel] =
                    static_cast<T>(float(p.silu ? sum / (1 + std::exp(-sum)) : sum));
            }
            return true;
        }
        void keep() const noexcept {
            if (T* state = p.has.template out<T>(a, 1))
                for (std::int64_t t = 0; t < p.kept(); ++t) state[state_at(t)] = element_at(length() + t);
            T* update = p.has.template out<T>(a, 2);
            for (std::int64_t t = 0; update && t < p.capacity; ++t)
                update[(b * p.capacity + t) * p.channels + channel] =
                    t < length() && t < a.in<std::int32_t>(5)[b] ? token(t) : T(0.f);
        }
    };
};
}  // namespace v1
}  // namespace inlay
