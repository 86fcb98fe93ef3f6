// Numbers of every type as unsigned integers of the same order: -0 is 0, and NaN, all alike, comes last.
#pragma once
#include "on_device.hpp"
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
using bits_as = std::conditional_t<
    Bits == 8, std::uint8_t,
    std::conditional_t<Bits == 16, std::uint16_t, std::conditional_t<Bits == 32, std::uint32_t, std::uint64_t>>>;

template <class T> struct bits_of_raw;
template <int Bits> struct bits_of_raw<raw<Bits>> { using type = bits_as<Bits>; };
template <class T> using word_of = typename bits_of_raw<T>::type;  // of raw<8>: std::uint8_t

struct bit_order {
    bool is_ordered = true;
    std::uint64_t sign = 0;                      // the sign's bit; 0 where there is none
    std::uint64_t infinity = 0;                  // of floating-point types
    std::uint64_t greatest = ~std::uint64_t(0);  // bool: every byte but 0 is true

    static constexpr bit_order of(element e) {
        const auto sign = [e] { return std::uint64_t(1) << (bits_of(e) - 1); };
        switch (e) {
            case element::f32: return {true, sign(), 0x7f800000};
            case element::f64: return {true, sign(), std::uint64_t(0x7ff) << 52};
            case element::f16: return {true, sign(), float16::infinity};
            case element::bf16: return {true, sign(), bfloat16::infinity};
            case element::i8:
            case element::i16:
            case element::i32:
            case element::i64: return {true, sign()};
            case element::u8:
            case element::u16:
            case element::u32:
            case element::u64: return {};
            case element::boolean: return {true, 0, 0, 1};
            default: return {false};
        }
    }
    template <class U> constexpr U key(U bits) const {
        const U s = U(sign), magnitude = U(bits & U(~s));
        if (infinity && magnitude > U(infinity)) return U(~U(0));
        if (infinity && bits & s) return magnitude ? U(~bits) : s;
        const U k = U(bits ^ s);
        return k < U(greatest) ? k : U(greatest);
    }
};
}  // namespace v1
}  // namespace inlay
