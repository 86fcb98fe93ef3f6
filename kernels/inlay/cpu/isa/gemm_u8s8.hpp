// GEMM of 8-bit integers, Y = A B + bias + addend in int32, which wraps around: by gemm_f32's calls, whose float32
// stand for any 4 bytes. A is unsigned and lies in words: of four values where the level has int8 dot products, else of
// two in 16 bits each. B is signed. Depths, rows and steps of A are in words. With the other sign every value and zero
// point is 128 more or less: its bits ^ 0x80, which is `flip` here.
#pragma once
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
INLAY_SHARED std::int64_t gemm_u8s8_group(isa::level l) {
    return l >= isa::level::avx512bf16 ? 4 : 2;
}  // numbers of a word
INLAY_SHARED gemm_f32_depth gemm_u8s8_depth(isa::level l, std::int64_t k) {
    return gemm_f32_depth{1, 1, k}.in_groups(gemm_u8s8_group(l));
}
INLAY_SHARED std::int64_t gemm_u8s8_packed(isa::level l, std::int64_t k,
                                           std::int64_t n) {  // float32 elements of memory for all panels
    return gemm_f32_padded(l, n) * gemm_u8s8_depth(l, k).total() * gemm_u8s8_group(l) / 4;
}
// Where B's numbers are: number i of tap t of column j at b + j * column + t * tap + i * element.
struct gemm_u8s8_source {
    const std::uint8_t* b;
    std::int64_t n, column, tap, element;
    std::uint8_t flip;
};
// Some pixels of an image: bytes from one to the next, and from a channel to the next, which lie side by side or are at
// most four. Their words lie to_pixel apart.
struct gemm_u8s8_pixels {
    const std::uint8_t* x;
    std::int64_t pixel, channel, count, channels;
    std::uint8_t flip;
    std::int64_t to_pixel;
};
struct gemm_u8s8_table : gemm_f32_table {  // pack and pack_tail are null
    // Panels [panel, panel_end) of B as the depth's taps read it, which is in elements; sums: of their columns.
    void (*pack_taps)(const gemm_u8s8_source&, const gemm_f32_depth&, std::int64_t panel, std::int64_t panel_end,
                      float* panels, std::int32_t* sums) noexcept;
    void (*make_words)(const std::uint8_t* a, std::int64_t rows, std::int64_t k, std::uint8_t flip, float* words,
                       std::int32_t* sums) noexcept;  // sums: of the rows
    void (*copy_pixels)(const gemm_u8s8_pixels&, float* words) noexcept;
    // to[j] = -(a * x[j] + b * y[j])
    void (*correct)(std::int64_t n, std::int32_t a, const std::int32_t* x, std::int32_t b, const std::int32_t* y,
                    std::int32_t* to) noexcept;
    // Dequantizes rows of accumulators, n each: times the factor of their column, or the first for all, plus that of
    // the addend or null.
    void (*scale)(std::int64_t rows, std::int64_t n, const float* by, bool per_column, const float* addend,
                  float* y) noexcept;
};
const gemm_u8s8_table& gemm_u8s8(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "gemm_u8s8.cpp"
#endif
