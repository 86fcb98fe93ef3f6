// Relu, Sigmoid, Tanh, Erf, Sqrt, HardSigmoid and HardSwish of floats on the CPU, in any layout.
#pragma once
#include "../unary.hpp"
#include "isa/unary_f32.hpp"

namespace inlay::inline v1 {
template <class Op, unary_f32_table::map unary_f32_table::*Function> struct map_f32_kernel : simple_kernel {
    struct params { std::int64_t count; float a, b; };
    struct state { unary_f32_table::map function; };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        const auto [a, b] = Op::numbers(n);
        return {n.input(0).dims.elements(), static_cast<float>(a), static_cast<float>(b)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept { s.function = unary_f32(u.level).*Function; return status::ok; }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const float* x = args.in<float>(0);
        float* y = args.out<float>(0);
        c.split(p.count, 16 * 1024, [&](std::int64_t first, std::int64_t last, int) { s.function(x + first, y + first, last - first, p.a, p.b); });
        return status::ok;
    }
};
template <> struct kernel<op::relu, device::cpu, types<float>> : map_f32_kernel<op::relu, &unary_f32_table::relu> {};
template <> struct kernel<op::sigmoid, device::cpu, types<float>> : map_f32_kernel<op::sigmoid, &unary_f32_table::sigmoid> {};
template <> struct kernel<op::tanh, device::cpu, types<float>> : map_f32_kernel<op::tanh, &unary_f32_table::tanh> {};
template <> struct kernel<op::erf, device::cpu, types<float>> : map_f32_kernel<op::erf, &unary_f32_table::erf> {};
template <> struct kernel<op::sqrt, device::cpu, types<float>> : map_f32_kernel<op::sqrt, &unary_f32_table::sqrt> {};
template <> struct kernel<op::hard_sigmoid, device::cpu, types<float>> : map_f32_kernel<op::hard_sigmoid, &unary_f32_table::hard_sigmoid> {};
template <> struct kernel<op::hard_swish, device::cpu, types<float>> : map_f32_kernel<op::hard_swish, &unary_f32_table::hard_swish> {};
}  // namespace inlay::inline v1
