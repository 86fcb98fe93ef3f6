// Functions of one float on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/arc_f32.hpp>
#include <inlay/cpu/isa/circular_f32.hpp>
#include <inlay/cpu/isa/hyperbolic_f32.hpp>
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/unary.hpp>

namespace inlay {
inline namespace v1 {
// By a function of a family.
template <class Op, auto Family, auto Function> struct map_f32_kernel : simple_kernel {
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
        s.function = Family(u.level).*Function;
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
#define INLAY_FUNCTION(family, name) \
    template <> \
    struct kernel<op::name, device::cpu, types<float>> : map_f32_kernel<op::name, family, &family##_table::name> {};
INLAY_FUNCTION(unary_f32, relu)
INLAY_FUNCTION(unary_f32, sigmoid)
INLAY_FUNCTION(unary_f32, tanh)
INLAY_FUNCTION(unary_f32, erf)
INLAY_FUNCTION(unary_f32, sqrt)
INLAY_FUNCTION(unary_f32, hard_sigmoid)
INLAY_FUNCTION(unary_f32, hard_swish)
INLAY_FUNCTION(unary_f32, exp)
INLAY_FUNCTION(unary_f32, log)
INLAY_FUNCTION(unary_f32, neg)
INLAY_FUNCTION(unary_f32, abs)
INLAY_FUNCTION(unary_f32, reciprocal)
INLAY_FUNCTION(unary_f32, softplus)
INLAY_FUNCTION(unary_f32, sign)
INLAY_FUNCTION(unary_f32, floor)
INLAY_FUNCTION(unary_f32, ceil)
INLAY_FUNCTION(unary_f32, round)
INLAY_FUNCTION(unary_f32, leaky_relu)
INLAY_FUNCTION(unary_f32, elu)
INLAY_FUNCTION(unary_f32, mish)
INLAY_FUNCTION(unary_f32, softsign)
INLAY_FUNCTION(unary_f32, swish)
INLAY_FUNCTION(circular_f32, sin)
INLAY_FUNCTION(circular_f32, cos)
INLAY_FUNCTION(circular_f32, tan)
INLAY_FUNCTION(arc_f32, asin)
INLAY_FUNCTION(arc_f32, acos)
INLAY_FUNCTION(arc_f32, atan)
INLAY_FUNCTION(hyperbolic_f32, sinh)
INLAY_FUNCTION(hyperbolic_f32, cosh)
INLAY_FUNCTION(hyperbolic_f32, asinh)
INLAY_FUNCTION(hyperbolic_f32, acosh)
INLAY_FUNCTION(hyperbolic_f32, atanh)
#undef INLAY_FUNCTION
template <>
struct kernel<op::gelu, device::cpu, types<float>> : map_f32_kernel<op::gelu, unary_f32, &unary_f32_table::gelu> {
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        s.function = p.a != 0 ? unary_f32(u.level).gelu_tanh : unary_f32(u.level).gelu;
        return status::ok;
    }
};
template <>
struct kernel<op::selu, device::cpu, types<float>> : map_f32_kernel<op::selu, unary_f32, &unary_f32_table::elu> {};
}  // namespace v1
}  // namespace inlay
