// Pow of float32 on the CPU, in any layout: vector code where the exponent is one number, 2, 3 or 1/2, else the C
// library's powf.
#pragma once
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/pow.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::pow, device::cpu, types<float, float>> : simple_kernel {
    struct params {
        broadcast_loops<2> loops;
        bool one_exponent;
    };
    struct state {
        const unary_f32_table* functions;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        params p{make_loops<2>(n, 2, legacy_axis(n)), false};
        p.one_exponent = p.loops.rank == 1 && p.loops.along(0) == 1 && n.input(1).dims.elements() == 1;
        return p;
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &unary_f32(u.level);
        return status::ok;
    }
    static unary_f32_table::map special(const unary_f32_table& t, float exponent) noexcept {
        return exponent == 2 ? t.square : exponent == 3 ? t.cube : exponent == 0.5f ? t.power_of_half : nullptr;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const float *base = args.in<float>(0), *exponents = args.in<float>(1);
        float* y = args.out<float>(0);
        const std::int64_t count = p.loops.elements(), i = p.loops.along(0), j = p.loops.along(1);
        const auto fast = p.one_exponent && count ? special(*s.functions, *exponents) : nullptr;
        c.split(count, fast ? 16 * 1024 : 1024, [&](std::int64_t first, std::int64_t end, int) {
            if (fast) return fast(base + first, y + first, end - first, 0, 0);
            over_rows(p.loops, first, end, [&](std::int64_t at, const auto& x, std::int64_t n) {
                for (std::int64_t e = 0; e < n; ++e) y[at + e] = std::pow(base[x[0] + e * i], exponents[x[1] + e * j]);
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
