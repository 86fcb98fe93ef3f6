// Requantizes int32 accumulators to 8 bits.
#pragma once
#include "code_lanes.hpp"
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::sum_codes {
// By the formula of gemm_codes. Bounds and zero are integers, so that rounding may come last. max() returns its second
// operand where the first is NaN.
struct scaling {
    lanes low, high;
    int_lanes zero;
    [[gnu::always_inline]] explicit scaling(const gemm_codes& c)
        : low(float(c.low - c.zero)), high(float(c.high - c.zero)), zero(c.zero) {}
    // Requantizes n <= lane_count accumulators into y.
    [[gnu::always_inline]] void store(std::uint8_t* y, std::int64_t n, int_lanes sums, lanes scale) const {
        const lanes steps = xsimd::min(xsimd::max(xsimd::to_float(sums) * scale, low), high);
        code_lanes::store_codes(y, n, (xsimd::nearbyint_as_int(steps) + zero) & int_lanes(255));  // of either sign
    }
};
#if defined(__AVX512F__)
// Four vectors at once: their values less the minimum are packed, which saturates. What is below the integers, and NaN,
// becomes the minimum.
struct packed_scaling {
    lanes high;
    __m512i zero, flip;
    [[gnu::always_inline]] explicit packed_scaling(const gemm_codes& c)
        : high(float(c.high - c.zero)),
          zero(_mm512_set1_epi16(static_cast<std::int16_t>(c.zero - c.low))),
          flip(_mm512_set1_epi8(static_cast<std::int8_t>(c.low))) {}
    [[gnu::always_inline]] __m512i steps(lanes sums, lanes scale) const {
        const lanes x = lanes(_mm512_cvtepi32_ps(_mm512_castps_si512(sums))) * scale;
        return _mm512_cvtps_epi32(_mm512_min_ps(high, x));  // NaN passes
    }
    [[gnu::always_inline]] __m512i pair(lanes a, lanes b, lanes scale_a, lanes scale_b) const {
        return _mm512_adds_epi16(_mm512_packs_epi32(steps(a, scale_a), steps(b, scale_b)), zero);
    }
    [[gnu::always_inline]] __m512i codes(__m512i first, __m512i second) const {  // of two pairs
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(first, second) ^ flip);
    }
    // Packs four vectors, each 16 bytes of the result from all four: in order, where the accumulators are laid out so.
    [[gnu::always_inline]] __m512i interleaved(const __m512i* sums, const lanes* scales) const {
        const auto number = [&](int i) INLAY_INLINED { return lanes(_mm512_castsi512_ps(sums[i])); };
        return _mm512_packus_epi16(pair(number(0), number(1), scales[0], scales[1]),
                                   pair(number(2), number(3), scales[2], scales[3])) ^
               flip;
    }
    // Two rows of two vectors each.
    [[gnu::always_inline]] void store(std::uint8_t* y, std::uint8_t* next, const lanes* sums, const lanes* next_sums,
                                      const lanes* scales) const {
        const __m512i bytes =
            codes(pair(sums[0], sums[1], scales[0], scales[1]), pair(next_sums[0], next_sums[1], scales[0], scales[1]));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_castsi512_si256(bytes));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(next), _mm512_extracti64x4_epi64(bytes, 1));
    }
    // Four rows of one vector, the first n <= lane_count numbers of each.
    [[gnu::always_inline]] void store(std::uint8_t* y, std::int64_t row, std::int64_t n, const lanes* sums,
                                      lanes scale) const {
        const __m512i bytes = codes(pair(sums[0], sums[1], scale, scale), pair(sums[2], sums[3], scale, scale));
        const auto mask = static_cast<__mmask16>((1u << n) - 1);
        _mm_mask_storeu_epi8(y, mask, _mm512_castsi512_si128(bytes));
        _mm_mask_storeu_epi8(y + row, mask, _mm512_extracti32x4_epi32(bytes, 1));
        _mm_mask_storeu_epi8(y + 2 * row, mask, _mm512_extracti32x4_epi32(bytes, 2));
        _mm_mask_storeu_epi8(y + 3 * row, mask, _mm512_extracti32x4_epi32(bytes, 3));
    }
};
#endif
}  // namespace INLAY_LEVEL::sum_codes
}  // namespace v1
}  // namespace inlay
