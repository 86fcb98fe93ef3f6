// Ort::'s small floats: the bits in memory, and conversions by Inlay's own types.
#pragma once
#include "c_types.hpp"
#include <inlay/element.hpp>

namespace Ort {
namespace detail {
// Self: the public type. Small: Inlay's, with as many bits of exponent and mantissa.
template <class Self, class Small, unsigned Infinity> struct SmallFloat {
    std::uint16_t val = 0;
    static constexpr Self FromBits(std::uint16_t bits) noexcept {
        Self x;
        x.val = bits;
        return x;
    }
    float ToFloat() const noexcept { return Small::of_bits(val); }
    explicit operator float() const noexcept { return ToFloat(); }
    bool IsNegative() const noexcept { return (val & 0x8000u) != 0; }
    bool IsNaN() const noexcept { return magnitude() > Infinity; }
    bool IsFinite() const noexcept { return magnitude() < Infinity; }
    bool IsInfinity() const noexcept { return magnitude() == Infinity; }
    bool IsPositiveInfinity() const noexcept { return val == Infinity; }
    bool IsNegativeInfinity() const noexcept { return val == (Infinity | 0x8000u); }
    bool IsNaNOrZero() const noexcept { return magnitude() == 0 || IsNaN(); }
    bool IsNormal() const noexcept { return IsFinite() && (magnitude() & Infinity) != 0; }
    bool IsSubnormal() const noexcept { return magnitude() != 0 && (magnitude() & Infinity) == 0; }
    Self Abs() const noexcept { return FromBits(magnitude()); }
    Self Negate() const noexcept { return IsNaN() ? FromBits(val) : FromBits(std::uint16_t(val ^ 0x8000u)); }
    static bool AreZero(const Self& a, const Self& b) noexcept { return ((a.val | b.val) & 0x7fffu) == 0; }
    // As float32 compare: NaN equals nothing, zeros are equal.
    friend bool operator==(const Self& a, const Self& b) noexcept { return a.ToFloat() == b.ToFloat(); }
    friend bool operator<(const Self& a, const Self& b) noexcept { return a.ToFloat() < b.ToFloat(); }

  private:
    std::uint16_t magnitude() const noexcept { return val & 0x7fffu; }
};
}  // namespace detail

struct Float16_t : detail::SmallFloat<Float16_t, inlay::float16, 0x7c00> {
    Float16_t() = default;
    explicit Float16_t(float x) noexcept { val = inlay::float16(x).bits; }  // to nearest even
};
struct BFloat16_t : detail::SmallFloat<BFloat16_t, inlay::bfloat16, 0x7f80> {
    BFloat16_t() = default;
    explicit BFloat16_t(float x) noexcept { val = inlay::bfloat16(x).bits; }
};
static_assert(sizeof(Float16_t) == 2 && sizeof(BFloat16_t) == 2);

// Bits only, as in ONNX Runtime.
namespace detail {
template <class Small> struct Float8 {
    std::uint8_t value = 0;
    constexpr Float8() noexcept = default;
    constexpr Float8(std::uint8_t bits) noexcept : value(bits) {}
    constexpr operator std::uint8_t() const noexcept { return value; }
};
}  // namespace detail
using Float8E4M3FN_t = detail::Float8<inlay::float8e4m3fn>;
using Float8E4M3FNUZ_t = detail::Float8<inlay::float8e4m3fnuz>;
using Float8E5M2_t = detail::Float8<inlay::float8e5m2>;
using Float8E5M2FNUZ_t = detail::Float8<inlay::float8e5m2fnuz>;

namespace detail {
// Integer types are mapped by size and sign. UNDEFINED: T is no element type.
template <class T> constexpr ONNXTensorElementDataType element_type_of() {
    if constexpr (std::is_same_v<T, Float16_t>)
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
    else if constexpr (std::is_same_v<T, BFloat16_t>)
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;
    else if constexpr (std::is_same_v<T, Float8E4M3FN_t>)
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN;
    else if constexpr (std::is_same_v<T, Float8E4M3FNUZ_t>)
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ;
    else if constexpr (std::is_same_v<T, Float8E5M2_t>)
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2;
    else if constexpr (std::is_same_v<T, Float8E5M2FNUZ_t>)
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ;
    else if constexpr (inlay::one_element<T> && !std::is_same_v<T, inlay::any_value>)
        return ONNXTensorElementDataType(inlay::element_of<T>);
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        return std::is_signed_v<T> ? ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 : ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64;
    else
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}
}  // namespace detail
// The element type of a C++ type; a program specialises it for a type of its own with the same bits.
template <class T> struct TypeToTensorType;
template <class T>
requires(detail::element_type_of<T>() != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) struct TypeToTensorType<T> {
    static constexpr ONNXTensorElementDataType type = detail::element_type_of<T>();
};
}  // namespace Ort
