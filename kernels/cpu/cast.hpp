// Cast on the CPU, for the pairs that models have: one simple loop each, which the compiler vectorises at its baseline.
#pragma once
#include "../cast.hpp"

namespace inlay::inline v1 {
namespace casting {
template <class To, class From> To converted(From x) noexcept {
    if constexpr (std::is_same_v<To, bool>) return x != 0;
    else if constexpr (std::is_same_v<From, float> && sizeof(To) == 1) return static_cast<To>(converted<std::int32_t>(x));
    else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To>) {  // selects, no branches
        constexpr float end = sizeof(To) == 4 ? 0x1p31f : 0x1p63f;
        const float above = x < -end ? -end : x, inside = above < end ? above : 0.f;
        return x >= end ? std::numeric_limits<To>::max() : static_cast<To>(x == x ? inside : 0.f);
    } else return static_cast<To>(x);
}
template <> inline float converted<float>(bfloat16 x) noexcept { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }
template <> inline bfloat16 converted<bfloat16>(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, nan = (bits >> 16 & 0x8000) | 0x7fc0;
    return bfloat16::of_bits(std::uint16_t((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded));
}
template <> inline float converted<float>(float16 x) noexcept {
    const std::uint32_t magnitude = (x.bits & 0x7fffu) << 13, sign = (x.bits & 0x8000u) << 16;
    const std::uint32_t normal = magnitude + (magnitude >= 0x0f800000 ? (255u - 31) << 23 : (127u - 15) << 23);
    // A subnormal is set behind the point of 2^-14, which is then taken away: no subnormal float takes part.
    const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + (113u << 23)) - std::bit_cast<float>(113u << 23));
    return std::bit_cast<float>((magnitude < 0x00800000 ? small : normal) | sign);
}
template <> inline float16 converted<float16>(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    const std::uint32_t normal = (magnitude - ((127u - 15) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    // Adding 0.5 leaves the units of a subnormal float16, rounded, in the low bits.
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    const std::uint32_t large = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
    return float16::of_bits(std::uint16_t((magnitude >= 0x47800000 ? large : magnitude < 0x38800000 ? small : normal) | sign));
}

template <class From, class To> struct pair_kernel : any_kernel {
    struct params { std::int64_t count; };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr bool truth = std::is_same_v<From, bool>;  // read as bytes, which may be neither 0 nor 1; g++ does not vectorise loads of bool either
        const auto* x = a.in<std::conditional_t<truth, std::uint8_t, From>>(0);
        To* y = a.out<To>(0);
        c.split(p.count, 1 << 14, [=](std::int64_t first, std::int64_t last, int) noexcept {
            if constexpr (truth) for (std::int64_t i = first; i < last; ++i) y[i] = static_cast<To>(x[i] != 0);
            else for (std::int64_t i = first; i < last; ++i) y[i] = converted<To>(x[i]);
        });
        return status::ok;
    }
};
}  // namespace casting

template <casting::operation Op, class From, class To> requires(one_element<From> && one_element<To> && !std::is_same_v<From, std::string>)
struct kernel<Op, device::cpu, types<From, To>> : casting::pair_kernel<From, To> {};
}  // namespace inlay::inline v1
