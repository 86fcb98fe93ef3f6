// Functions of one float on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/unary.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, unary_f32_table::map unary_f32_table::*Function> struct map_f32_kernel : simple_kernel {
    struct params {
        std::int64_t count;
        float a, b;
    };
    struct state {
        unary_f32_table::map function;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        const auto [a, b] = Op::numbers(n);
        return {n.input(0).dims.elements(), static_cast<float>(a), static_cast<float>(b)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.function = unary_f32(u.level).*Function;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const float* x = args.in<float>(0);
        float* y = args.out<float>(0);
        c.split(p.count, 16 * 1024, [&](std::int64_t first, std::int64_t last, int) {
            s.function(x + first, y + first, last - first, p.a, p.b);
        });
        return status::ok;
    }
};
template <> struct kernel<op::relu, device::cpu, types<float>> : map_f32_kernel<op::relu, &unary_f32_table::relu> {};
template <>
struct kernel<op::sigmoid, device::cpu, types<float>> : map_f32_kernel<op::sigmoid, &unary_f32_table::sigmoid> {};
template <> struct kernel<op::tanh, device::cpu, types<float>> : map_f32_kernel<op::tanh, &unary_f32_table::tanh> {};
template <> struct kernel<op::erf, device::cpu, types<float>> : map_f32_kernel<op::erf, &unary_f32_table::erf> {};
template <> struct kernel<op::sqrt, device::cpu, types<float>> : map_f32_kernel<op::sqrt, &unary_f32_table::sqrt> {};
template <>
struct kernel<op::hard_sigmoid, device::cpu, types<float>>
    : map_f32_kernel<op::hard_sigmoid, &unary_f32_table::hard_sigmoid> {};
template <>
struct kernel<op::hard_swish, device::cpu, types<float>>
    : map_f32_kernel<op::hard_swish, &unary_f32_table::hard_swish> {};
template <> struct kernel<op::exp, device::cpu, types<float>> : map_f32_kernel<op::exp, &unary_f32_table::exp> {};
template <> struct kernel<op::log, device::cpu, types<float>> : map_f32_kernel<op::log, &unary_f32_table::log> {};
template <> struct kernel<op::neg, device::cpu, types<float>> : map_f32_kernel<op::neg, &unary_f32_table::neg> {};
template <> struct kernel<op::abs, device::cpu, types<float>> : map_f32_kernel<op::abs, &unary_f32_table::abs> {};
template <>
struct kernel<op::reciprocal, device::cpu, types<float>>
    : map_f32_kernel<op::reciprocal, &unary_f32_table::reciprocal> {};
template <>
struct kernel<op::softplus, device::cpu, types<float>> : map_f32_kernel<op::softplus, &unary_f32_table::softplus> {};
template <> struct kernel<op::sign, device::cpu, types<float>> : map_f32_kernel<op::sign, &unary_f32_table::sign> {};
template <> struct kernel<op::floor, device::cpu, types<float>> : map_f32_kernel<op::floor, &unary_f32_table::floor> {};
template <> struct kernel<op::ceil, device::cpu, types<float>> : map_f32_kernel<op::ceil, &unary_f32_table::ceil> {};
template <> struct kernel<op::round, device::cpu, types<float>> : map_f32_kernel<op::round, &unary_f32_table::round> {};
template <>
struct kernel<op::leaky_relu, device::cpu, types<float>>
    : map_f32_kernel<op::leaky_relu, &unary_f32_table::leaky_relu> {};
template <> struct kernel<op::elu, device::cpu, types<float>> : map_f32_kernel<op::elu, &unary_f32_table::elu> {};
template <> struct kernel<op::mish, device::cpu, types<float>> : map_f32_kernel<op::mish, &unary_f32_table::mish> {};
template <>
struct kernel<op::softsign, device::cpu, types<float>> : map_f32_kernel<op::softsign, &unary_f32_table::softsign> {};
template <> struct kernel<op::swish, device::cpu, types<float>> : map_f32_kernel<op::swish, &unary_f32_table::swish> {};
template <> struct kernel<op::gelu, device::cpu, types<float>> : map_f32_kernel<op::gelu, &unary_f32_table::gelu> {
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        s.function = p.a != 0 ? unary_f32(u.level).gelu_tanh : unary_f32(u.level).gelu;
        return status::ok;
    }
};
template <> struct kernel<op::selu, device::cpu, types<float>> : map_f32_kernel<op::selu, &unary_f32_table::elu> {};
}  // namespace v1
}  // namespace inlay
