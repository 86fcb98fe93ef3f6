// Sums of products in int32, and the codes of 8 bits that they become.
#pragma once
#include "code_lanes.hpp"
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::sum_codes {
// By the formula of gemm_codes. Bounds and zero are integers, so that rounding may come last. max() gives its second
// operand where the first is NaN.
struct scaling {
    lanes low, high;
    int_lanes zero;
    [[gnu::always_inline]] explicit scaling(const gemm_codes& c)
        : low(float(c.low - c.zero)), high(float(c.high - c.zero)), zero(c.zero) {}
    // n <= lane_count sums, whose codes go to y.
    [[gnu::always_inline]] void store(std::uint8_t* y, std::int64_t n, int_lanes sums, lanes scale) const {
        const lanes steps = xsimd::min(xsimd::max(xsimd::to_float(sums) * scale, low), high);
        code_lanes::store_codes(y, n, (xsimd::nearbyint_as_int(steps) + zero) & int_lanes(255));  // of either sign
    }
};
#if defined(__AVX512F__)
// Two rows of two vectors each: their codes less the least one are packed, which saturates. What is too small for an
// integer, and NaN, becomes the least integer.
struct row_scaling {
    lanes high;
    __m512i zero, flip;
    [[gnu::always_inline]] explicit row_scaling(const gemm_codes& c)
        : high(float(c.high - c.zero)),
          zero(_mm512_set1_epi16(static_cast<std::int16_t>(c.zero - c.low))),
          flip(_mm512_set1_epi8(static_cast<std::int8_t>(c.low))) {}
    [[gnu::always_inline]] __m512i steps(lanes sums, lanes scale) const {
        const __m512 x = _mm512_cvtepi32_ps(_mm512_castps_si512(sums)) * scale;
        return _mm512_cvtps_epi32(_mm512_min_ps(high, x));  // NaN passes
    }
    [[gnu::always_inline]] __m512i row(const lanes* sums, const lanes* scales) const {
        return _mm512_adds_epi16(_mm512_packs_epi32(steps(sums[0], scales[0]), steps(sums[1], scales[1])), zero);
    }
    [[gnu::always_inline]] void store(std::uint8_t* y, std::uint8_t* next, const lanes* sums, const lanes* next_sums,
                                      const lanes* scales) const {
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
                      all = _mm512_permutexvar_epi32(
                          order, _mm512_packus_epi16(row(sums, scales), row(next_sums, scales)) ^ flip);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_castsi512_si256(all));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(next), _mm512_extracti64x4_epi64(all, 1));
    }
};
#endif
}  // namespace INLAY_LEVEL::sum_codes
}  // namespace v1
}  // namespace inlay
