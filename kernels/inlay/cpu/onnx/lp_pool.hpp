// LpPool and GlobalLpPool of float32 on the CPU, where p is 1 or 2.
#pragma once
#include <inlay/cpu/isa/lp_pool_f32.hpp>
#include <inlay/cpu/onnx/pool.hpp>
#include <inlay/onnx/lp_pool.hpp>

namespace inlay {
inline namespace v1 {
constexpr verdict is_fast_norm(const node_view& n) {
    const double p = lp_norm_of_windows::exponent(n);
    return p == 1 || p == 2 ? yes() : no("the fast kernel has p = 1 and p = 2");
}
template <> struct kernel<op::lp_pool, device::cpu, types<float>> : simple_kernel {
    struct params {
        windows_f32::params of;
        bool squares;
    };
    using state = windows_f32::state;
    static constexpr verdict supports(const node_view& n) {
        const verdict v = is_fast_norm(n);
        return v ? windows_f32::supports(n) : v;
    }
    static constexpr layout_rule layouts(const node_view& n) { return windows_f32::layouts(n); }
    static constexpr bool strided(const node_view& n, int argument) { return windows_f32::strided(n, argument); }
    static constexpr params prepare(const node_view& n) {
        return {windows_f32::prepare(n), lp_norm_of_windows::exponent(n) == 2};
    }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        s.function = p.squares ? lp_pool_f32(u.level).squares : lp_pool_f32(u.level).magnitudes;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return windows_f32::run(p.of, s, a, c);
    }
};
template <> struct kernel<op::global_lp_pool, device::cpu, types<float>> : global_pool_f32 {
    struct params {
        global_pool_f32::params of;
        bool squares;
    };
    static constexpr verdict supports(const node_view& n) { return is_fast_norm(n); }
    static constexpr params prepare(const node_view& n) {
        return {global_pool_f32::prepare(n), lp_norm_of_windows::exponent(n) == 2};
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (p.squares)
            pool(p.of, s, s.functions->squares, 0, a, c, [](float* y, std::int64_t count) {
                std::transform(y, y + count, y, [](float x) { return std::sqrt(x); });
            });
        else
            pool(p.of, s, s.functions->magnitudes, 0, a, c, [](float*, std::int64_t) {});
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
