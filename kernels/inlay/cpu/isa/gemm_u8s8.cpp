// An element of B is a word: four numbers, or two that are widened to 16 bits while they are read. Exact: no product or
// sum of two saturates.
#include "gemm_loops.hpp"
#include "gemm_u8s8.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm_u8s8 {
constexpr std::int64_t group = gemm_u8s8_group(gemm::here);
INLAY_INLINE int_lanes integers(lanes x) { return xsimd::bitwise_cast<int_lanes>(x); }
struct format {
    static constexpr std::int64_t group = 1;
#if defined(__AVX512BF16__)  // then AVX512-VNNI too
    using number = std::uint8_t;
    using element = std::uint32_t;
    INLAY_STATIC lanes load(const element* p) { return _mm512_loadu_ps(p); }
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) {
        return _mm512_castsi512_ps(
            _mm512_dpbusd_epi32(_mm512_castps_si512(sum), _mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
#else
    using number = std::uint16_t;
    using element = std::uint16_t;
#if defined(__AVX512F__)
    INLAY_STATIC lanes load(const element* p) {
        return _mm512_castsi512_ps(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        return _mm512_castsi512_ps(_mm512_madd_epi16(_mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
#elif defined(__AVX2__)
    INLAY_STATIC lanes load(const element* p) {
        return _mm256_castsi256_ps(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        return _mm256_castsi256_ps(_mm256_madd_epi16(_mm256_castps_si256(a), _mm256_castps_si256(b)));
    }
#elif defined(__aarch64__)
    INLAY_STATIC lanes load(const element* p) {
        return vreinterpretq_f32_s16(vmovl_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(p))));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        const int16x8_t x = vreinterpretq_s16_f32(a), y = vreinterpretq_s16_f32(b);
        return vreinterpretq_f32_s32(vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y)));
    }
#else
    INLAY_STATIC lanes load(const element* p) {
        const __m128i numbers = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
        return _mm_castsi128_ps(_mm_srai_epi16(_mm_unpacklo_epi8(numbers, numbers), 8));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        return _mm_castsi128_ps(_mm_madd_epi16(_mm_castps_si128(a), _mm_castps_si128(b)));
    }
#endif
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) { return plus(sum, products(a, b)); }
#endif
    INLAY_STATIC lanes plus(lanes a, lanes b) { return xsimd::bitwise_cast<lanes>(integers(a) + integers(b)); }
    INLAY_STATIC lanes clip(lanes x, lanes, lanes) { return x; }
    INLAY_STATIC void finish(const epilogue&, float*, std::int64_t, std::int64_t, std::int64_t) {}
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row,
                                std::int64_t rows, std::int64_t columns) {
        gemm::copy_rows(to, to_row, from, from_row, rows, columns);
    }
};
using element = format::element;
static_assert(sizeof(element) == group && sizeof(format::number) * group == sizeof(float));

INLAY_INLINE std::uint8_t flipped(std::uint8_t x, std::uint8_t flip) { return static_cast<std::uint8_t>(x ^ flip); }
INLAY_INLINE void pack_row(const std::uint8_t* b, std::int64_t n, std::int64_t terms, std::int64_t columns,
                           std::uint8_t flip, element* to) {
    for (std::int64_t j = 0; j < columns; ++j) {
        element word = 0;
        for (std::int64_t i = 0; i < terms; ++i)
            word = static_cast<element>(word | static_cast<element>(flipped(b[i * n + j], flip)) << 8 * i);
        to[j] = word;
    }
    for (std::int64_t j = columns; j < gemm::padded(columns); ++j) to[j] = 0;
}
INLAY_LOCAL void pack_numbers(const std::uint8_t* b, std::int64_t k, std::int64_t n, std::uint8_t flip, float* panels,
                              std::int32_t* sums) noexcept {
    const auto depth = gemm_u8s8_depth(gemm::here, k);
    const auto cut = depth.cuts(gemm::here);
    for (std::int64_t c = 0; c < cut.y1 * cut.x1 * cut.i1; ++c) {
        const auto box = depth.part(cut, c);
        const std::int64_t first = depth.first(box), count = depth.size(box);
        auto* to = reinterpret_cast<element*>(panels) + first * gemm::padded(n);
        for (std::int64_t j = 0; j < n; j += gemm::width) {
            const std::int64_t columns = smaller(gemm::width, n - j);
            for (std::int64_t w = first; w < first + count; ++w, to += gemm::padded(columns)) {
                if (const std::int64_t left = k - w * group; left >= group)
                    pack_row(b + w * group * n + j, n, group, columns, flip, to);
                else
                    pack_row(b + w * group * n + j, n, left, columns, flip, to);
            }
        }
    }
    for (std::int64_t j = 0; j < n; ++j) sums[j] = 0;
    for (std::int64_t i = 0; i < k; ++i, b += n)
        for (std::int64_t j = 0; j < n; ++j)
            sums[j] =
                static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                          static_cast<std::uint32_t>(static_cast<std::int8_t>(flipped(b[j], flip))));
}
INLAY_LOCAL void make_words(const std::uint8_t* a, std::int64_t rows, std::int64_t k, std::uint8_t flip, float* words,
                            std::int32_t* sums) noexcept {
    const std::int64_t whole = gemm_u8s8_depth(gemm::here, k).total() * group;
    auto* to = reinterpret_cast<format::number*>(words);
    for (std::int64_t r = 0; r < rows; ++r, a += k, to += whole) {
        std::uint32_t sum = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            const std::uint8_t x = flipped(a[i], flip);
            to[i] = x;
            sum += x;
        }
        for (std::int64_t i = k; i < whole; ++i) to[i] = 0;
        sums[r] = static_cast<std::int32_t>(sum);
    }
}
INLAY_LOCAL void correct(std::int64_t n, std::int32_t a, const std::int32_t* x, std::int32_t b, const std::int32_t* y,
                         std::int32_t* to) noexcept {
    const auto p = static_cast<std::uint32_t>(a), q = static_cast<std::uint32_t>(b);
    for (std::int64_t j = 0; j < n; ++j)
        to[j] =
            static_cast<std::int32_t>(0 - p * static_cast<std::uint32_t>(x[j]) - q * static_cast<std::uint32_t>(y[j]));
}
template <class F> INLAY_INLINE void scale_rows(std::int64_t rows, std::int64_t n, float* y, F scaled) {
    for (std::int64_t r = 0; r < rows; ++r, y += n)
        for (std::int64_t j = 0; j < n; ++j)
            y[j] = scaled(static_cast<float>(__builtin_bit_cast(std::int32_t, y[j])), j);
}
INLAY_LOCAL void scale(std::int64_t rows, std::int64_t n, const float* by, bool per_column, const float* addend,
                       float* y) noexcept {
    const float one = *by;
    if (per_column && addend)
        scale_rows(rows, n, y, [=](float x, std::int64_t j) { return x * by[j] + addend[j]; });
    else if (per_column)
        scale_rows(rows, n, y, [=](float x, std::int64_t j) { return x * by[j]; });
    else if (addend)
        scale_rows(rows, n, y, [=](float x, std::int64_t j) { return x * one + addend[j]; });
    else
        scale_rows(rows, n, y, [=](float x, std::int64_t) { return x * one; });
}
}  // namespace INLAY_LEVEL::gemm_u8s8
}  // namespace v1
}  // namespace inlay
INLAY_TABLE_OF_ALL(gemm_u8s8, {nullptr, nullptr, gemm::run<format>}, pack_numbers, make_words, correct, scale)
