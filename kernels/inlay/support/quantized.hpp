// Common to the operators of quantized tensors: the range of a quantized type, and 8-bit integers of either sign, which
// one loop reads.
#pragma once
#include <inlay/onnx/cast.hpp>

namespace inlay {
inline namespace v1 {
namespace quantized {
struct code {};         // any type that QuantizeLinear produces
struct code_or_i32 {};  // any type that DequantizeLinear reads
struct wide {};         // any type that QuantizeLinear reads
struct real {};         // any type that DequantizeLinear produces
struct byte {};
struct small_real {};
constexpr element_set small_reals =
    element_set::of({element::f8e4m3fn, element::f8e4m3fnuz, element::f8e5m2, element::f8e5m2fnuz});
constexpr element_set codes = {element_set::of({element::i8, element::u8, element::i16, element::u16, element::i4,
                                                element::u4, element::i2, element::u2, element::f4e2m1})
                                   .bits |
                               small_reals.bits};
}  // namespace quantized
template <> inline constexpr element_set elements_of<quantized::code> = quantized::codes;
template <>
inline constexpr element_set elements_of<quantized::code_or_i32> = {quantized::codes.bits |
                                                                    element_set::of({element::i32}).bits};
template <>
inline constexpr element_set elements_of<quantized::wide> = element_set::of({element::f32, element::f16, element::bf16,
                                                                             element::i32});
template <>
inline constexpr element_set elements_of<quantized::real> = element_set::of({element::f32, element::f16,
                                                                             element::bf16});
template <> inline constexpr element_set elements_of<quantized::byte> = element_set::of({element::u8, element::i8});
template <> inline constexpr element_set elements_of<quantized::small_real> = quantized::small_reals;

namespace quantized {
// Of a quantized type: real numbers, or the integers from low to high.
struct code_range {
    bool integers = true;
    int low = 0, high = 0;
    static constexpr code_range of(element e) {
        const bool is_signed = element_set::of({element::i8, element::i16, element::i4, element::i2}).has(e);
        const int count = 1 << std::min(bits_of(e), 16), low = is_signed ? -count / 2 : 0;
        return {!small_reals.has(e) && e != element::f4e2m1, low, low + count - 1};
    }
    // A number in steps, before it is stored as the type: integers saturate, and NaN is the lowest.
    double operator()(float steps, double zero) const noexcept {
        if (!integers) return zero == 0 ? double(steps) : double(steps) + zero;  // a zero keeps its sign
        const double x = std::rint(double(steps)) + zero;
        return !(x > low) ? low : x < high ? x : high;
    }
};

// The integers of u8, or of i8, in memory.
struct bytes {
    int flip = 0;
    constexpr bytes() = default;
    constexpr explicit bytes(element e) : flip(e == element::i8 ? 128 : 0) {}
    constexpr int operator()(std::uint8_t code) const { return (code ^ flip) - flip; }
    int at(const arguments& a, int k, std::int64_t i) const { return (*this)(a.in<std::uint8_t>(k)[i]); }
};

// Elements as double, which holds all quantized types and the inputs of QuantizeLinear exactly.
inline void load(element e, const void* x, std::int64_t first, int count, double* numbers) noexcept {
    const casting::codec& from = casting::codecs[int(e)];
    if (from.number == 0) return from.load(x, first, count, numbers);
    std::int64_t integers[casting::block];
    from.load(x, first, count, integers);
    for (int i = 0; i < count; ++i) numbers[i] = double(integers[i]);
}
inline double load(element e, const void* x, std::int64_t i) noexcept {
    double number;
    load(e, x, i, 1, &number);
    return number;
}
inline void store(element e, void* y, std::int64_t first, int count, const double* numbers,
                  bool saturate = true) noexcept {
    casting::codecs[int(e)].store[0](y, first, count, numbers, {saturate, casting::rounding::nearest});
}
}  // namespace quantized
}  // namespace v1
}  // namespace inlay
