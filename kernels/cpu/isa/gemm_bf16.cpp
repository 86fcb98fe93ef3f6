// Pairs of bfloat16 are multiplied where the processor can; else B is widened to floats while it is read.
#include "gemm_bf16.hpp"
#include "gemm_loops.hpp"

namespace inlay::inline v1::INLAY_LEVEL::gemm_bf16 {
INLAY_INLINE std::uint16_t rounded(float x) {  // to nearest even; NaN stays NaN
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x), even = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
    return static_cast<std::uint16_t>((x != x ? quiet : even) >> 16);
}
#if defined(__AVX512BF16__)
INLAY_LOCAL void round(const float* from, std::int64_t n, std::uint16_t* to) noexcept {
    for (; n >= 32; n -= 32, from += 32, to += 32) _mm512_storeu_si512(to, (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from)));
    const __mmask32 rest = (1u << n) - 1;
    _mm512_mask_storeu_epi16(to, rest, (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(__mmask16(rest >> 16), from + 16), _mm512_maskz_loadu_ps(__mmask16(rest), from)));
}
#else
constexpr decltype(gemm_bf16_table::round) round = nullptr;
#endif

struct format {
    using element = std::uint16_t;
    INLAY_STATIC element element_of(float x) { return rounded(x); }
#if defined(__AVX512BF16__)
    static constexpr std::int64_t group = 2;
    INLAY_STATIC lanes load(const element* p) { return _mm512_loadu_ps(p); }
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) { return _mm512_dpbf16_ps(sum, (__m512bh)__m512(a), (__m512bh)__m512(b)); }
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns) {
        for (std::int64_t r = 0; r < rows; ++r) {
            auto* const own = reinterpret_cast<element*>(to + r * to_row);
            round(from + r * from_row, columns, own);
            if (columns % 2) own[columns] = 0;
        }
    }
#else
    static constexpr std::int64_t group = 1;
#if defined(__AVX512F__)
    INLAY_STATIC lanes load(const element* p) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16)); }
#elif defined(__AVX2__)
    INLAY_STATIC lanes load(const element* p) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16)); }
#else
    INLAY_STATIC lanes load(const element* p) { return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))); }
#endif
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) { return fma(a, b, sum); }
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns) {
        gemm::copy_rows(to, to_row, from, from_row, rows, columns);
    }
#endif
    INLAY_STATIC void pack_row(const float* from, std::int64_t step, std::int64_t left, std::int64_t columns, float scale, element* to) {
        for (std::int64_t j = 0; j < columns; ++j) for (std::int64_t e = 0; e < group; ++e) to[j * group + e] = e < left ? rounded(from[e * step + j] * scale) : element(0);
        for (std::int64_t j = columns * group; j < gemm::padded(columns) * group; ++j) to[j] = 0;
    }
};
}  // namespace inlay::inline v1::INLAY_LEVEL::gemm_bf16
INLAY_TABLE_UP_TO(avx512bf16, gemm_bf16, {gemm::pack<format>, nullptr, gemm::run<format>}, round)
