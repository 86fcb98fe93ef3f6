// Cast on the CPU, for the pairs that models have: one simple loop each, which the compiler vectorises at its baseline;
// between float32 and 16 bits the conversions of the instruction set.
#pragma once
#include <inlay/cpu/isa/half_f32.hpp>
#include <inlay/onnx/cast.hpp>

namespace inlay {
inline namespace v1 {
namespace casting {
template <class To, class From> To converted(From x) noexcept {
    if constexpr (std::is_same_v<To, bool>)
        return x != 0;
    else if constexpr (std::is_same_v<From, float> && sizeof(To) == 1)
        return static_cast<To>(converted<std::int32_t>(x));
    else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To>) {  // selects, no branches
        constexpr float end = sizeof(To) == 4 ? 0x1p31f : 0x1p63f;
        const float above = x < -end ? -end : x, inside = above < end ? above : 0.f;
        return x >= end ? std::numeric_limits<To>::max() : static_cast<To>(x == x ? inside : 0.f);
    } else
        return static_cast<To>(x);
}

template <class From, class To> struct pair_kernel : any_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr bool truth = std::is_same_v<From, bool>;  // read as bytes, which may be neither 0 nor 1; g++ does not
                                                            // vectorise loads of bool either
        const auto* x = a.in<std::conditional_t<truth, std::uint8_t, From>>(0);
        To* y = a.out<To>(0);
        c.split(p.count, 1 << 14, [=](std::int64_t first, std::int64_t end, int) noexcept {
            if constexpr (truth)
                for (std::int64_t i = first; i < end; ++i) y[i] = static_cast<To>(x[i] != 0);
            else
                for (std::int64_t i = first; i < end; ++i) y[i] = converted<To>(x[i]);
        });
        return status::ok;
    }
};
template <half_float Half, bool Widen> struct half_kernel : any_kernel {
    struct params {
        std::int64_t count;
    };
    struct state {
        const half_f32_table::format* format;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.format = std::is_same_v<Half, float16> ? &half_f32(u.level).float16 : &half_f32(u.level).bfloat16;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        c.split(p.count, 1 << 14, [&](std::int64_t first, std::int64_t end, int) noexcept {
            if constexpr (Widen)
                s.format->widen(a.in<std::uint16_t>(0) + first, a.out<float>(0) + first, end - first);
            else
                s.format->narrow(a.in<float>(0) + first, a.out<std::uint16_t>(0) + first, end - first);
        });
        return status::ok;
    }
};
template <class From, class To> struct kernel_of : pair_kernel<From, To> {};
template <half_float Half> struct kernel_of<Half, float> : half_kernel<Half, true> {};
template <half_float Half> struct kernel_of<float, Half> : half_kernel<Half, false> {};
}  // namespace casting

template <casting::operation Op, class From, class To>
requires(one_element<From>&& one_element<To> &&
         !std::is_same_v<From, std::string>) struct kernel<Op, device::cpu, types<From, To>>
    : casting::kernel_of<From, To> {
};
}  // namespace v1
}  // namespace inlay
