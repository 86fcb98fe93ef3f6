// ConvInteger and QLinearConv on the CPU, over one or two axes, channels last.
#pragma once
#include <inlay/cpu/support/conv_u8_dense.hpp>
#include <inlay/cpu/support/conv_u8_depthwise.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>

namespace inlay {
inline namespace v1 {
struct conv_u8_loops : simple_kernel {  // shared by both operators, so that a program has it once
    using params = conv_u8_params;
    using state = conv_u8_state;
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * (p.weights(l) + p.ones(l) + 4 * p.column_room()),
                4 * (2 * p.column_room() + threads * p.part_room(l))};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        auto* const weights = reinterpret_cast<float*>(u.storage);
        float* const ones = weights + p.weights(u.level);
        auto* const zeros = reinterpret_cast<std::int32_t*>(ones + p.ones(u.level));
        std::int32_t *const sums = zeros + p.column_room(), *const start = sums + p.column_room();
        s = {&gemm_u8s8(u.level), &depthwise_u8(u.level), u.level, false, false, weights, ones, zeros, sums};
        for (std::int64_t m = 0; m < p.out_channels; ++m) {
            const std::uint8_t code = p.w_zero ? w.in<std::uint8_t>(p.w_zero)[p.each_zero ? m : 0] : 0;
            zeros[m] = static_cast<std::int8_t>(code ^ p.w_flip);
            s.shifted |= zeros[m] != 0;
        }
        if (p.depthwise())
            s.fours = conv_u8_depthwise::pack(p, u.level, w.in<std::uint8_t>(p.weight), zeros,
                                              reinterpret_cast<std::int32_t*>(weights), sums);
        else
            pack(p, s, w.in<std::uint8_t>(p.weight), weights, ones, sums, u);
        if (knows_columns(p, w)) {
            auto* const scales = reinterpret_cast<float*>(start + p.column_room());
            fill_columns(p, s, w, start, scales);
            s.start = start;
            s.scales = scales;
        }
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        auto* const scratch = reinterpret_cast<float*>(c.scratch);
        auto* const start = reinterpret_cast<std::int32_t*>(scratch + p.column_room());
        if (!s.start) fill_columns(p, s, a, start, scratch);
        const float* const scales = s.start ? s.scales : scratch;
        const gemm_codes codes = p.linear ? gemm_codes{a.out<std::uint8_t>(0), p.out_channels, scales,
                                                       p.y_type.at(a, 7, 0),   p.codes.low,    p.codes.high}
                                          : gemm_codes{nullptr, 0, scales, 0, 0, 0};
        const conv_u8_arguments conv_arguments{a.in<std::uint8_t>(0),
                                               s.start ? s.start : start,
                                               scales,
                                               x_zero(p, a),
                                               codes,
                                               p.linear ? nullptr : a.out<std::int32_t>(0),
                                               scratch + 2 * p.column_room()};
        if (p.depthwise())
            conv_u8_depthwise::run(p, s, conv_arguments, c);
        else
            conv_u8_dense::run(p, s, conv_arguments, c);
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void pack(const params& p, const state& s, const std::uint8_t* w, float* panels, float* ones,
                     std::int32_t* sums, const setup& u) noexcept {
        const std::int64_t n = p.columns(), taps = p.taps(), panels_per_group = gemm_f32_panels(s.level, n);
        u.split(p.group * panels_per_group, packing_grain(s.level, p.words(s.level)),
                [&](std::int64_t first, std::int64_t end, int) {
                    for (std::int64_t g = first / std::max<std::int64_t>(1, panels_per_group);
                         g * panels_per_group < end; ++g)
                        s.table->pack_taps({w + g * n * p.filter(), n, p.filter(), 1, taps, p.w_flip}, p.numbers(),
                                           std::max(first - g * panels_per_group, std::int64_t(0)),
                                           std::min(end - g * panels_per_group, panels_per_group),
                                           panels + g * p.packed(s.level), sums + g * n);
                });
        constexpr std::uint8_t unit = 1;
        std::int32_t count;
        s.table->pack_taps({&unit, 1, 0, 0, 0, 0}, p.numbers(), 0, 1, ones, &count);
        for (std::int64_t m = 0; m < p.out_channels; ++m)
            sums[m] =
                static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[m]) -
                                          static_cast<std::uint32_t>(count) * static_cast<std::uint32_t>(s.zeros[m]));
    }
    // Whether all inputs of the columns' bias and factor are constant.
    static bool knows_columns(const params& p, constants w) noexcept {
        const auto is_known = [&](int k) { return k == 0 || w.data[k] != nullptr; };
        return is_known(p.x_zero) && is_known(p.bias) && (!p.linear || (is_known(1) && is_known(4) && is_known(6)));
    }
    template <class Inputs> static std::uint8_t x_zero(const params& p, const Inputs& in) noexcept {
        return static_cast<std::uint8_t>((p.x_zero ? *in.template in<std::uint8_t>(p.x_zero) : 0) ^ p.x_flip);
    }
    template <class Inputs>
    static void fill_columns(const params& p, const state& s, const Inputs& in, std::int32_t* start,
                             float* scales) noexcept {
        const std::uint32_t zero = x_zero(p, in);
        for (std::int64_t m = 0; m < p.out_channels; ++m) {
            const std::uint32_t begin =
                p.bias ? static_cast<std::uint32_t>(in.template in<std::int32_t>(p.bias)[m]) : 0;
            start[m] = static_cast<std::int32_t>(begin - zero * static_cast<std::uint32_t>(s.sums[m]));
        }
        std::fill(start + p.out_channels, start + p.column_room(), 0);
        std::fill(scales, scales + p.column_room(), 1.f);
        if (!p.linear) return;
        const float x_scale = *in.template in<float>(1), *w_scale = in.template in<float>(4),
                    y_scale = *in.template in<float>(6);
        for (std::int64_t m = 0; m < p.out_channels; ++m) scales[m] = x_scale * w_scale[p.each_scale ? m : 0] / y_scale;
    }
};

template <class Op, class Types, int Weight, int XZero, int WZero, int Bias> struct conv_u8_kernel : conv_u8_loops {
    static constexpr unsigned packs = 1 << Weight | 1 << WZero;
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = kernel<Op, device::reference, Types>::supports(n); !v) return v;
        if (n.input(0).dims.rank > 5) return no("written for one to three spatial axes");
        if (n.is_constant(0)) return no("X is a constant, which is never channels last");
        if (reaches_over_frames(n)) return no("the window reaches over the first of three axes");
        const params p = prepare(n);
        return countable({p.seen_width(p.out_width), p.channels + 16, p.reach_h(), 4})
                   ? yes()
                   : no("the padded rows are too large to copy");
    }
    static constexpr layout_rule layouts(const node_view& n) {
        const shape& x = n.input(0).dims;
        const bool reads_both =
            x.rank < 5 && x[1] >= 0 && x[1] <= 4 && n.integer("group", 1) == 1;  // of few channels all rows are copied
        return {reads_both ? layout::any : layout::channels_last, layout::channels_last};
    }
    static constexpr params prepare(const node_view& n) {
        const auto input_or_0 = [&](int k) { return k && n.has_input(k) ? k : 0; };
        params p;
        p.read(n, Weight, Bias, false);
        p.flatten();
        p.weight = Weight, p.x_zero = input_or_0(XZero), p.w_zero = input_or_0(WZero), p.bias = input_or_0(Bias);
        p.each_zero = p.w_zero && n.input(WZero).dims.elements() > 1;
        p.read_types(n);
        if constexpr (Bias != 0) {
            p.linear = true;
            p.each_scale = n.input(4).dims.elements() > 1;
            p.codes = quantized::code_range::of(n.output(0).type);
            p.y_type = quantized::bytes(n.output(0).type);
        }
        return p;
    }

  private:
    static constexpr bool reaches_over_frames(const node_view& n) {
        convolution c;
        shape y;
        convolution::read(n, c, y, Weight, Bias);
        return c.input.rank == 3 && (c.kernel[0] != 1 || c.strides[0] != 1 || c.input[0] != c.output[0]);
    }
};
template <>
struct kernel<op::conv_integer, device::cpu, types<quantized::byte, quantized::byte, std::int32_t>>
    : packs_at_run<
          conv_u8_kernel<op::conv_integer, types<quantized::byte, quantized::byte, std::int32_t>, 1, 2, 3, 0>> {};
template <>
struct kernel<op::qlinear_conv, device::cpu, types<quantized::byte, quantized::byte, quantized::byte>>
    : packs_at_run<
          conv_u8_kernel<op::qlinear_conv, types<quantized::byte, quantized::byte, quantized::byte>, 3, 2, 5, 8>> {};
}  // namespace v1
}  // namespace inlay
