// LRN of float32 on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/lrn.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::lrn, device::cpu, types<float>> : simple_kernel {
    struct params : lrn_params {
        bool channels_last;
    };
    struct state {
        const norm_f32_table* functions;
    };
    static constexpr verdict supports(const node_view& n) {
        if (!(n.real("alpha", 1) >= 0 && n.real("beta", 1) > 0 && n.real("bias", 1) >= 0))
            return no("fast only where alpha, beta and bias are positive");
        return yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        return {lrn_params::of(n), n.input_layout(0) == layout::channels_last};
    }
    static constexpr std::int64_t squares(const params& p) {
        return (lrn_f32_squares(p.channels, p.below, p.above) + 15) / 16 * 16;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, p.channels_last ? squares(p) * threads * std::int64_t(sizeof(float)) : 0};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &norm_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        lrn_f32_call call{a.in<float>(0),
                          a.out<float>(0),
                          p.channels,
                          p.inner,
                          p.below,
                          p.above,
                          static_cast<float>(p.alpha),
                          static_cast<float>(p.beta),
                          static_cast<float>(p.bias)};
        const std::int64_t grain = 1 + (1 << 12) / std::max<std::int64_t>(p.channels, 1);
        if (p.channels_last) {
            c.split(p.samples * p.inner, grain, [&](std::int64_t first, std::int64_t end, int part) {
                s.functions->lrn_rows(call, first, end, reinterpret_cast<float*>(c.scratch) + part * squares(p));
            });
            return status::ok;
        }
        for (std::int64_t n = 0; n < p.samples; ++n, call.x += p.channels * p.inner, call.y += p.channels * p.inner)
            c.split(p.inner, grain,
                    [&](std::int64_t first, std::int64_t end, int) { s.functions->lrn(call, first, end); });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
