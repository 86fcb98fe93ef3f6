// Element types: every ONNX tensor element as data, numbered as TensorProto.DataType, and the C++ type of each.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "checked_size.hpp"
#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
enum class element : std::uint8_t {
    undefined,
    f32,
    u8,
    i8,
    u16,
    i16,
    i32,
    i64,
    string,
    boolean,
    f16,
    f64,
    u32,
    u64,
    c64,
    c128,
    bf16,
    f8e4m3fn,
    f8e4m3fnuz,
    f8e5m2,
    f8e5m2fnuz,
    u4,
    i4,
    f4e2m1,
    f8e8m0,
    u2,
    i2,
    object  // not a tensor: a sequence, map or optional, held as an inlay::any_value
};
inline constexpr int element_count = int(element::object) + 1;

// What the bit patterns at the top of a small float's range mean.
enum class specials : std::uint8_t { ieee, nan_only, negative_zero_is_nan, none };

// A binary float of at most 16 bits. Converts to float32 exactly, from float32 by rounding to nearest even.
template <int Exponent, int Mantissa, int Bias, specials Specials> struct small_float {
    using storage = std::conditional_t<(Exponent + Mantissa > 7), std::uint16_t, std::uint8_t>;
    static constexpr unsigned sign_bit = 1u << (Exponent + Mantissa),
                              quiet_nan = Specials == specials::negative_zero_is_nan ? sign_bit
                                          : Specials == specials::ieee ? (((1u << Exponent) - 1) << Mantissa) +
                                                                             (1u << (Mantissa ? Mantissa - 1 : 0))
                                                                       : sign_bit - 1;
    static constexpr unsigned infinity = ((1u << Exponent) - 1) << Mantissa;  // specials::ieee only
    static constexpr unsigned largest = Specials == specials::ieee       ? infinity - 1
                                        : Specials == specials::nan_only ? sign_bit - 2
                                                                         : sign_bit - 1;

    storage bits;
    small_float() = default;
    constexpr explicit small_float(float x) : bits(encode(x, false)) {}
    template <class T>
    requires std::is_arithmetic_v<T>
    constexpr explicit small_float(T x) : small_float(static_cast<float>(x)) {}
    static constexpr small_float of_bits(storage b) {
        small_float f(0.f);
        f.bits = b;
        return f;
    }
    // Out of range: the largest finite number if `saturate`, else infinity, else NaN, else the largest finite number.
    // NaN where there is none: a zero of the other sign, as in ONNX's test cases.
    static constexpr small_float rounded(float x, bool saturate) { return of_bits(encode(x, saturate)); }
    constexpr operator float() const {
        const unsigned magnitude = bits & (sign_bit - 1), exponent = magnitude >> Mantissa,
                       mantissa = magnitude & ((1u << Mantissa) - 1);
        const bool negative = bits & sign_bit;
        if (is_nan())
            return std::bit_cast<float>(0x7fc00000u |
                                        (negative && Specials != specials::negative_zero_is_nan ? 0x80000000u : 0u));
        if (Specials == specials::ieee && magnitude == infinity)
            return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
        if constexpr (Exponent == 8 && Mantissa == 7) return std::bit_cast<float>(std::uint32_t(bits) << 16);
        const float scale =
            std::bit_cast<float>(unsigned(1 - Bias - Mantissa + 127) << 23);  // of the smallest subnormal
        const float x = exponent == 0
                            ? float(mantissa) * scale
                            : std::bit_cast<float>(((exponent - Bias + 127) << 23) | (mantissa << (23 - Mantissa)));
        return negative ? -x : x;
    }
    constexpr bool is_nan() const {
        const unsigned magnitude = bits & (sign_bit - 1);
        return Specials == specials::ieee       ? magnitude > infinity
               : Specials == specials::nan_only ? magnitude == sign_bit - 1
                                                : Specials == specials::negative_zero_is_nan && bits == sign_bit;
    }

  private:
    static constexpr storage encode(float x, bool saturate) {
        const std::uint32_t f = std::bit_cast<std::uint32_t>(x);
        const unsigned sign = f >> 31 ? sign_bit : 0u;
        const int exponent = int(f >> 23 & 255);
        std::uint32_t mantissa = f & 0x7fffff;
        if (exponent == 255 && mantissa)
            return storage(Specials == specials::none                   ? sign ^ sign_bit
                           : Specials == specials::negative_zero_is_nan ? quiet_nan
                                                                        : sign | quiet_nan);
        unsigned code = largest + 1;
        if (exponent != 255) {
            const int e = std::max(exponent, 1) - 127, lowest = 1 - Bias,
                      shift = std::max(e, lowest) - Mantissa - (e - 23);
            if (exponent) mantissa |= 0x800000;
            const std::uint64_t wide = shift > 40 ? 0 : std::uint64_t(mantissa) << 8, unit = std::uint64_t(1)
                                                                                             << std::min(shift + 8, 50);
            std::uint64_t n = wide / unit, rest = wide % unit;
            n += rest * 2 > unit || (rest * 2 == unit && (n & 1));
            const std::uint64_t full = e >= lowest ? n + (std::uint64_t(e - lowest) << Mantissa) : n;
            code = unsigned(std::min<std::uint64_t>(full, largest + 1));
        }
        if (code > largest)
            code = saturate || Specials == specials::none ? largest : Specials == specials::ieee ? infinity : quiet_nan;
        if (Specials == specials::negative_zero_is_nan && (code == 0 || code == quiet_nan)) return storage(code);
        return storage(sign | code);
    }
};
using float16 = small_float<5, 10, 15, specials::ieee>;
using bfloat16 = small_float<8, 7, 127, specials::ieee>;
using float8e4m3fn = small_float<4, 3, 7, specials::nan_only>;
using float8e4m3fnuz = small_float<4, 3, 8, specials::negative_zero_is_nan>;
using float8e5m2 = small_float<5, 2, 15, specials::ieee>;
using float8e5m2fnuz = small_float<5, 2, 16, specials::negative_zero_is_nan>;
using float4e2m1 = small_float<2, 1, 1, specials::none>;  // two to a byte in a tensor
struct float8e8m0 {                                       // a power of two: 2^(bits - 127); 255 is NaN
    std::uint8_t bits;
};

// Integers of less than a byte, packed in a tensor, the first element in the low bits.
template <int Bits, bool Signed> struct small_int {
    std::int8_t number;
    constexpr operator int() const { return number; }
};
using int4 = small_int<4, true>;
using uint4 = small_int<4, false>;
using int2 = small_int<2, true>;
using uint2 = small_int<2, false>;

class any_value;

constexpr int bits_of(element e) {  // of one element in a tensor's memory
    constexpr std::uint16_t bits[element_count] = {
        0, 32, 8, 8, 16, 16, 32, 64, 8 * sizeof(std::string), 8, 16, 64, 32, 64, 64, 128, 16, 8, 8, 8,
        8, 4,  4, 4, 8,  2,  2,  0};
    return bits[int(e)];
}
// Of so many elements in a tensor's memory; too_large where 64 bits do not hold it.
constexpr std::int64_t bytes_of(element e, std::int64_t count) {
    const int bits = bits_of(e);
    return bits % 8 == 0 ? checked_product(count, bits / 8) : count / 8 * bits + (count % 8 * bits + 7) / 8;
}
constexpr std::string_view name_of(element e) {  // as ONNX writes tensor(...)
    constexpr std::string_view names[element_count] = {
        "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
        "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
        "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
        "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2",       "object"};
    return names[int(e)];
}
constexpr element element_numbered(std::int64_t e) {  // as ONNX numbers the types in attributes
    return e > 0 && e < std::int64_t(element::object) ? element(e) : element::undefined;
}
constexpr bool is_integer(element e) {
    return e == element::u8 || e == element::i8 || e == element::u16 || e == element::i16 || e == element::i32 ||
           e == element::i64 || e == element::u32 || e == element::u64 || e == element::boolean;
}

// A set of element types: what one type constraint of one kernel covers.
struct element_set {
    std::uint32_t bits = 0;
    constexpr bool has(element e) const { return bits >> int(e) & 1; }
    constexpr element only() const {  // undefined unless it is one
        return std::has_single_bit(bits) ? element(std::countr_zero(bits)) : element::undefined;
    }
    static constexpr element_set of(std::initializer_list<element> list) {
        element_set s;
        for (element e : list) s.bits |= 1u << int(e);
        return s;
    }
};

// Types for kernels that only move elements: one instance serves every element type of that size.
template <int Bits> struct raw {};

template <class T> inline constexpr element_set elements_of = {};
#define INLAY_ELEMENT(type, e) \
    template <> inline constexpr element_set elements_of<type> = element_set::of({element::e});
INLAY_ELEMENT(float, f32)
INLAY_ELEMENT(double, f64)
INLAY_ELEMENT(float16, f16)
INLAY_ELEMENT(bfloat16, bf16)
INLAY_ELEMENT(std::uint8_t, u8)
INLAY_ELEMENT(std::int8_t, i8)
INLAY_ELEMENT(std::uint16_t, u16)
INLAY_ELEMENT(std::int16_t, i16)
INLAY_ELEMENT(std::uint32_t, u32)
INLAY_ELEMENT(std::int32_t, i32)
INLAY_ELEMENT(std::uint64_t, u64)
INLAY_ELEMENT(std::int64_t, i64)
INLAY_ELEMENT(bool, boolean)
INLAY_ELEMENT(std::string, string)
INLAY_ELEMENT(std::complex<float>, c64)
INLAY_ELEMENT(std::complex<double>, c128)
INLAY_ELEMENT(float8e4m3fn, f8e4m3fn)
INLAY_ELEMENT(float8e4m3fnuz, f8e4m3fnuz)
INLAY_ELEMENT(float8e5m2, f8e5m2)
INLAY_ELEMENT(float8e5m2fnuz, f8e5m2fnuz)
INLAY_ELEMENT(float8e8m0, f8e8m0)
INLAY_ELEMENT(float4e2m1, f4e2m1)
INLAY_ELEMENT(int4, i4)
INLAY_ELEMENT(uint4, u4)
INLAY_ELEMENT(int2, i2)
INLAY_ELEMENT(uint2, u2)
INLAY_ELEMENT(any_value, object)
#undef INLAY_ELEMENT
template <> inline constexpr element_set elements_of<raw<2>> = element_set::of({element::u2, element::i2});
template <>
inline constexpr element_set elements_of<raw<4>> = element_set::of({element::u4, element::i4, element::f4e2m1});
template <>
inline constexpr element_set elements_of<raw<8>> = element_set::of({element::u8, element::i8, element::boolean,
                                                                    element::f8e4m3fn, element::f8e4m3fnuz,
                                                                    element::f8e5m2, element::f8e5m2fnuz,
                                                                    element::f8e8m0});
template <>
inline constexpr element_set elements_of<raw<16>> = element_set::of({element::u16, element::i16, element::f16,
                                                                     element::bf16});
template <>
inline constexpr element_set elements_of<raw<32>> = element_set::of({element::f32, element::i32, element::u32});
template <>
inline constexpr element_set elements_of<raw<64>> = element_set::of({element::f64, element::i64, element::u64,
                                                                     element::c64});
template <> inline constexpr element_set elements_of<raw<128>> = element_set::of({element::c128});
template <class T>
concept one_element = std::has_single_bit(elements_of<T>.bits);
template <one_element T> inline constexpr element element_of = element(std::countr_zero(elements_of<T>.bits));

template <class T> inline constexpr bool is_small_float = false;
template <int E, int M, int B, specials S> inline constexpr bool is_small_float<small_float<E, M, B, S>> = true;
template <class T>
concept floating = std::is_floating_point_v<T> || is_small_float<T>;
// The accumulator type of T: float32 for the small floats, at least 32 bits for integers.
template <class T> struct accumulator_of { using type = T; };
template <floating T> struct accumulator_of<T> {
    using type = std::conditional_t<std::is_same_v<T, double>, double, float>;
};
template <std::integral T> struct accumulator_of<T> {
    using type = std::conditional_t<(sizeof(T) < 4), std::int32_t, T>;
};
template <class T> using accumulator = typename accumulator_of<T>::type;

// Element i of a tensor's memory; elements of less than a byte are unpacked.
template <class T> constexpr int packed_bits = 0;
template <int Bits, bool Signed> constexpr int packed_bits<small_int<Bits, Signed>> = Bits;
template <> inline constexpr int packed_bits<float4e2m1> = 4;
template <class T> T load(const void* data, std::int64_t i) noexcept {
    if constexpr (constexpr int bits = packed_bits<T>; bits == 0)
        return static_cast<const T*>(data)[i];
    else {
        const unsigned code =
            static_cast<const std::uint8_t*>(data)[i * bits / 8] >> (i * bits % 8) & ((1u << bits) - 1);
        if constexpr (is_small_float<T>)
            return T::of_bits(typename T::storage(code));
        else if constexpr (std::is_same_v<T, small_int<bits, true>>)
            return {std::int8_t(code >> (bits - 1) ? int(code) - (1 << bits) : int(code))};
        else
            return {std::int8_t(code)};
    }
}
template <class T> void store(void* data, std::int64_t i, T x) noexcept {
    if constexpr (constexpr int bits = packed_bits<T>; bits == 0)
        static_cast<T*>(data)[i] = x;
    else {
        auto& byte = static_cast<std::uint8_t*>(data)[i * bits / 8];
        const int shift = int(i * bits % 8);
        unsigned code;
        if constexpr (is_small_float<T>)
            code = x.bits;
        else
            code = unsigned(x.number);
        byte = std::uint8_t((byte & ~(((1u << bits) - 1) << shift)) | (code & ((1u << bits) - 1)) << shift);
    }
}
}  // namespace v1
}  // namespace inlay
