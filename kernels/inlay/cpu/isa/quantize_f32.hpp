// Quantizes float32 to integers of 8 or 16 bits by scale and zero point, and back: y = x / scale, rounded to nearest
// even, + zero, saturated (NaN is the lowest), and y = (x - zero) * scale. x and y do not overlap.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct quantize_f32_table {
    template <class T> struct codes {
        void (*quantize)(const float* x, T* y, std::int64_t n, float scale, int zero) noexcept;
        void (*dequantize)(const T* x, float* y, std::int64_t n, float scale, int zero) noexcept;
        // Each element has a scale of its own, and a zero point, unless zeros is null.
        void (*quantize_each)(const float* x, T* y, std::int64_t n, const float* scales, const T* zeros) noexcept;
        void (*dequantize_each)(const T* x, float* y, std::int64_t n, const float* scales, const T* zeros) noexcept;
    };
    codes<std::uint8_t> u8;
    codes<std::int8_t> i8;
    codes<std::uint16_t> u16;
    codes<std::int16_t> i16;
    template <class T> const codes<T>& of() const noexcept {
        constexpr bool is_signed = T(-1) < T(0);
        if constexpr (sizeof(T) == 1 && is_signed)
            return i8;
        else if constexpr (sizeof(T) == 1)
            return u8;
        else if constexpr (is_signed)
            return i16;
        else
            return u16;
    }
};
const quantize_f32_table& quantize_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "quantize_f32.cpp"
#endif
