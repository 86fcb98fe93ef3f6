// nbits_f32's matmul with 4- and 8-bit weights, of rows quantized to int8: each block of a row is integers from -127 to
// 127 times one scale. For levels with int8 dot products; 8-bit weights need an instruction that does not saturate.
// Functions that a level lacks are null.
#pragma once
#include "nbits_f32.hpp"

namespace inlay {
inline namespace v1 {
INLAY_SHARED bool nbits_s8_has([[maybe_unused]] isa::level l, [[maybe_unused]] int bits) {
#if defined(__aarch64__)
    return false;
#else
    return bits == 4 ? l >= isa::level::avx2 : bits == 8 && l >= isa::level::avx512bf16;
#endif
}
inline constexpr std::int64_t nbits_s8_block = 65536;  // the longest: a block's accumulator has 32 bits
// More rows than these read 4-bit weights as bytes, of two strips at a time at most, from the second-level cache.
inline constexpr std::int64_t nbits_s8_some_rows = 47;
INLAY_SHARED std::int64_t nbits_s8_panel_floats(isa::level l, int bits, nbits_f32_weights b) {
    b.words *= 2;
    return bits == 4 ? 2 * b.strip_floats(l) : 0;
}
struct nbits_s8_call {
    nbits_f32_weights b;
    float middle;                 // 2^(bits - 1)
    const std::int8_t* a;         // rows of whole blocks, in the byte order of the quantized weights
    const float* scales;          // of each block of each row
    const std::int32_t* offsets;  // the sum of a block's integers times -middle
    const float* bias;            // per column, or null
    float* y;
    std::int64_t y_row;
    float* panel;  // nbits_s8_panel_floats(), for more than nbits_s8_some_rows
};
struct nbits_s8_table {
    struct form {
        void (*multiply)(const nbits_s8_call&, std::int64_t rows, std::int64_t strip, std::int64_t strip_end) noexcept;
        // Quantizes a row of k elements in blocks of so many.
        void (*round)(const float* a, std::int64_t k, std::int64_t block, std::int8_t* to, float* scales,
                      std::int32_t* offsets) noexcept;
    };
    form of_4, of_8;
    const form& of(int bits) const noexcept { return bits == 4 ? of_4 : of_8; }
};
const nbits_s8_table& nbits_s8(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "nbits_s8.cpp"
#endif
