// bf16 dot-product instructions where the processor has them, in AMX tiles where it has those; else B is widened to
// float32 while it is read.
#include "along.hpp"
#include "amx_tiles.hpp"
#include "gemm_bf16.hpp"
#include "gemm_tiles.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm_bf16 {
#if defined(__AVX512BF16__)
INLAY_LOCAL void round(const float* from, std::int64_t n, std::uint16_t* to) noexcept {
    for (; n >= 32; n -= 32, from += 32, to += 32)
        _mm512_storeu_si512(to, (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from)));
    const __mmask32 rest = (1u << n) - 1;
    _mm512_mask_storeu_epi16(to, rest,
                             (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(__mmask16(rest >> 16), from + 16),
                                                          _mm512_maskz_loadu_ps(__mmask16(rest), from)));
}
INLAY_INLINE lanes near_gelu_of(lanes x) {  // at most 5e-5 off; our own fit of erf
    const lanes a = clipped(x, lanes(-4.2426405f), lanes(4.2426405f)), u = a * a, half = x * lanes(.5f);
    lanes g = fma(u, lanes(1.1253522e-10f), lanes(-1.0743728e-08f));
    g = fma(g, u, lanes(4.5365894e-07f));
    g = fma(g, u, lanes(-1.1292425e-05f));
    g = fma(g, u, lanes(0.00018718121f));
    g = fma(g, u, lanes(-0.0022188004f));
    g = fma(g, u, lanes(0.019636238f));
    g = fma(g, u, lanes(-0.13269384f));
    g = fma(g, u, lanes(0.79780626f));
    return fma(half, clipped(g * a, lanes(-1.f), lanes(1.f)), half);
}
#else
constexpr decltype(gemm_bf16_table::round) round = nullptr;
#endif
#if defined(__AMX_BF16__)
struct amx_products : amx_tiles {
    using amx_tiles::amx_tiles;
    template <int T> INLAY_STATIC void multiply_add() {
        asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(T), "i"(4 + T / 2), "i"(6 + T % 2));
    }
};
#endif

struct format : gemm::float_sums {
    using element = std::uint16_t;
#if defined(__AVX512BF16__)
    static constexpr std::int64_t group = 2;
#if defined(__AMX_BF16__)
    using tiles = amx_products;
    static constexpr std::int64_t least_words = 0;
    INLAY_STATIC void multiply_panels(const gemm::slab<format>& t, gemm::slab_call& s, std::int64_t panel) {
        float_tiles::slab_product<format>(t, s).run(panel);
    }
    INLAY_STATIC lanes widened(const float* from, std::int64_t vector, std::int64_t n) {
        const auto* const pairs = reinterpret_cast<const __m256i*>(from) + vector;
        return _mm512_castsi512_ps(
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(__mmask16((1u << n) - 1), pairs)), 16));
    }
    INLAY_STATIC void store_pairs(const lanes (&x)[2], element* to) {
        _mm512_storeu_si512(to, (__m512i)_mm512_cvtne2ps_pbh(x[1], x[0]));
    }
    INLAY_STATIC void store_pairs(const lanes (&x)[1], element* to) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), (__m256i)_mm512_cvtneps_pbh(x[0]));
    }
    INLAY_STATIC void round_row(const float* from, std::int64_t n, element* to) { round(from, n, to); }
#endif
    INLAY_STATIC lanes load(const element* p) { return _mm512_loadu_ps(p); }
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) {
        __m512 pair = a;
#if defined(__clang__)
        asm("" : "+v"(pair));  // clang 16 crashes at a broadcast float32 that is reinterpreted as two bf16
#endif
        return _mm512_dpbf16_ps(sum, (__m512bh)pair, (__m512bh)__m512(b));
    }
    INLAY_STATIC void finish(const epilogue& e, float* y, std::int64_t rows, std::int64_t columns, std::int64_t row) {
        if (e.kind == activation::gelu)
            change(y, rows, columns, row, [](lanes x) { return near_gelu_of(x); });
        else
            activate(e, y, rows, columns, row);
    }
    INLAY_STATIC void pack_row(const float* from, std::int64_t step, std::int64_t left, std::int64_t columns,
                               float factor, element* to) {
        const lanes scale(factor);
        const __m512i columns_of_16 = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const __m512i pairs = _mm512_or_si512(
            columns_of_16,
            _mm512_slli_epi32(_mm512_add_epi32(columns_of_16, _mm512_set1_epi32(16)), 16));  // 0, 16, 1, 17 ...
        for (std::int64_t j = 0; j < columns; j += lane_count, to += 2 * lane_count) {
            const std::int64_t n = smaller(lane_count, columns - j);
            const lanes first = load_some(from + j, n) * scale,
                        second = left > 1 ? load_some(from + step + j, n) * scale : lanes(0.f);
            _mm512_storeu_si512(to, _mm512_permutexvar_epi16(pairs, (__m512i)_mm512_cvtne2ps_pbh(second, first)));
        }
    }
    INLAY_STATIC void pack_column(const float* from, std::int64_t step, std::int64_t n, float factor, element* to,
                                  std::int64_t to_step) {
        alignas(32) std::uint32_t words[8];
        alignas(64) float elements[16] = {};
        if (step != 1)
            for (std::int64_t e = 0; e < n; ++e) elements[e] = from[e * step];
        _mm256_store_si256(reinterpret_cast<__m256i*>(words),
                           (__m256i)_mm512_cvtneps_pbh(
                               (step == 1 ? load_some(from, n) : lanes::load_aligned(elements)) * lanes(factor)));
        for (std::int64_t w = 0; 2 * w < n; ++w) __builtin_memcpy(to + w * to_step, words + w, 4);
    }
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row,
                                std::int64_t rows, std::int64_t columns) {
        for (std::int64_t r = 0; r < rows; ++r) {
            auto* const row = reinterpret_cast<element*>(to + r * to_row);
            round(from + r * from_row, columns, row);
            if (columns % 2) row[columns] = 0;
        }
    }
#else
    static constexpr std::int64_t group = 1;
#if defined(__AVX512F__)
    INLAY_STATIC lanes load(const element* p) {
        return _mm512_castsi512_ps(
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16));
    }
#elif defined(__AVX2__)
    INLAY_STATIC lanes load(const element* p) {
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16));
    }
#elif defined(__aarch64__)
    INLAY_STATIC lanes load(const element* p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
#else
    INLAY_STATIC lanes load(const element* p) {
        return _mm_castsi128_ps(
            _mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
    }
#endif
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) { return fma(a, b, sum); }
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row,
                                std::int64_t rows, std::int64_t columns) {
        gemm::copy_rows(to, to_row, from, from_row, rows, columns);
    }
    INLAY_STATIC void finish(const epilogue& e, float* y, std::int64_t rows, std::int64_t columns, std::int64_t row) {
        activate(e, y, rows, columns, row);
    }
    INLAY_STATIC std::uint16_t rounded(float x) {  // to nearest even; NaN stays NaN
        const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x), even = bits + 0x7fff + (bits >> 16 & 1),
                            quiet = bits | 0x400000;
        return static_cast<std::uint16_t>((x != x ? quiet : even) >> 16);
    }
    INLAY_STATIC void pack_row(const float* from, std::int64_t, std::int64_t, std::int64_t columns, float scale,
                               element* to) {
        for (std::int64_t j = 0; j < columns; ++j) to[j] = rounded(from[j] * scale);
        for (std::int64_t j = columns; j < gemm::padded(columns); ++j) to[j] = 0;
    }
    INLAY_STATIC void pack_column(const float* from, std::int64_t step, std::int64_t n, float scale, element* to,
                                  std::int64_t to_step) {
        for (std::int64_t e = 0; e < n; ++e) to[e * to_step] = rounded(from[e * step] * scale);
    }
#endif
};
}  // namespace INLAY_LEVEL::gemm_bf16
}  // namespace v1
}  // namespace inlay
INLAY_TABLE_OF_ALL(gemm_bf16, {gemm::pack<format>, nullptr, gemm::run<format>}, round)
