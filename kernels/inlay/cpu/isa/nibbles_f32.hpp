// Dequantizes 4-bit values, two a byte, the first in the low bits, to float32: y = (x - zero) * scale.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct nibbles_f32_table {
    // The quantized values are unsigned, or have a sign.
    void (*dequantize_u4)(const std::uint8_t* x, float* y, std::int64_t n, float scale, int zero) noexcept;
    void (*dequantize_i4)(const std::uint8_t* x, float* y, std::int64_t n, float scale, int zero) noexcept;
};
const nibbles_f32_table& nibbles_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "nibbles_f32.cpp"
#endif
