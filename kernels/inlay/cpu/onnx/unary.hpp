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
#define INLAY_FUNCTION(name) \
    template <> \
    struct kernel<op::name, device::cpu, types<float>> : map_f32_kernel<op::name, &unary_f32_table::name> {};
INLAY_FUNCTION(relu)
INLAY_FUNCTION(sigmoid)
INLAY_FUNCTION(tanh)
INLAY_FUNCTION(erf)
INLAY_FUNCTION(sqrt)
INLAY_FUNCTION(hard_sigmoid)
INLAY_FUNCTION(hard_swish)
INLAY_FUNCTION(exp)
INLAY_FUNCTION(log)
INLAY_FUNCTION(neg)
INLAY_FUNCTION(abs)
INLAY_FUNCTION(reciprocal)
INLAY_FUNCTION(softplus)
INLAY_FUNCTION(sign)
INLAY_FUNCTION(floor)
INLAY_FUNCTION(ceil)
INLAY_FUNCTION(round)
INLAY_FUNCTION(leaky_relu)
INLAY_FUNCTION(elu)
INLAY_FUNCTION(mish)
INLAY_FUNCTION(softsign)
INLAY_FUNCTION(swish)
#undef INLAY_FUNCTION
template <> struct kernel<op::gelu, device::cpu, types<float>> : map_f32_kernel<op::gelu, &unary_f32_table::gelu> {
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        s.function = p.a != 0 ? unary_f32(u.level).gelu_tanh : unary_f32(u.level).gelu;
        return status::ok;
    }
};
template <> struct kernel<op::selu, device::cpu, types<float>> : map_f32_kernel<op::selu, &unary_f32_table::elu> {};
}  // namespace v1
}  // namespace inlay
