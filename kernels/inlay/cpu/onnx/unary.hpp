// Functions of one float32 on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/arc_f32.hpp>
#include <inlay/cpu/isa/circular_f32.hpp>
#include <inlay/cpu/isa/hyperbolic_f32.hpp>
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/support/kept_pairs.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/unary.hpp>

namespace inlay {
inline namespace v1 {
// By a function of a family.
template <class Op, auto Family, auto Function> struct map_f32_kernel : simple_kernel {
    struct params {
        std::int64_t count;
        float a, b;
        bool x_pairs = false, y_pairs = false;  // they are kept as bf16
    };
    struct state {
        unary_f32_table::map function;
        kept_pairs pairs{};
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr bool spaced(const node_view&, int) { return true; }
    static constexpr params prepare(const node_view& n) {
        const auto [a, b] = Op::numbers(n);
        return {n.input(0).dims.elements(), static_cast<float>(a), static_cast<float>(b), n.input_pitch(0) < 0,
                n.output_pitch(0) < 0};
    }
    static constexpr bool needs(const params& p) { return p.x_pairs || p.y_pairs; }
    template <bool Pairs = true> static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.function = Family(u.level).*Function;
        if constexpr (Pairs) s.pairs = kept_pairs::of(u.level);
        return status::ok;
    }
    template <bool Pairs = true>
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const float* x = args.in<float>(0);
        float* y = args.out<float>(0);
        if (Pairs && needs(p))
            c.split(p.count, 16 * 1024, [&](std::int64_t first, std::int64_t end, int) {
                constexpr std::int64_t most = 1024;
                alignas(64) float buffer[most];
                for (std::int64_t i = first, n; i < end; i += n) {
                    n = std::min(most, end - i);
                    if (p.x_pairs) s.pairs.widen(args.in<std::uint16_t>(0) + i, buffer, n);
                    float* const to = p.y_pairs ? buffer : y + i;
                    s.function(p.x_pairs ? buffer : x + i, to, n, p.a, p.b);
                    if (p.y_pairs) s.pairs.round(buffer, n, args.out<std::uint16_t>(0) + i);
                }
            });
        else
            c.split(p.count, 16 * 1024, [&](std::int64_t first, std::int64_t end, int) {
                s.function(x + first, y + first, end - first, p.a, p.b);
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
    template <bool Pairs = true> static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        map_f32_kernel::bind<Pairs>(p, w, u, s);
        if (p.a != 0) s.function = unary_f32(u.level).gelu_tanh;
        return status::ok;
    }
};
template <>
struct kernel<op::selu, device::cpu, types<float>> : map_f32_kernel<op::selu, unary_f32, &unary_f32_table::elu> {};
}  // namespace v1
}  // namespace inlay
