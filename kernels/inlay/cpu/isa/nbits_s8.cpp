#include "along.hpp"
#include "nbits_s8.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::nbits_s8 {
#if defined(__AVX2__)
constexpr isa::level level = isa::level::INLAY_LEVEL;
#if defined(__AVX512F__)
constexpr int most_rows = 4, some_rows_strips = 2;
using ints = __m512i;
INLAY_INLINE ints load(const float* p) { return _mm512_loadu_si512(p); }
INLAY_INLINE ints four_in_each(std::int32_t bytes) { return _mm512_set1_epi32(bytes); }
INLAY_INLINE ints low_halves(ints bytes) { return _mm512_and_si512(bytes, _mm512_set1_epi8(15)); }
INLAY_INLINE ints shifted(ints words) { return _mm512_srli_epi32(words, 4); }
INLAY_INLINE lanes number(ints x) { return _mm512_cvtepi32_ps(x); }
INLAY_INLINE lanes bytes_of(const std::uint8_t* p) {
    return number(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
#else
constexpr int most_rows = 4, some_rows_strips = 1;
using ints = __m256i;
INLAY_INLINE ints load(const float* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
INLAY_INLINE ints four_in_each(std::int32_t bytes) { return _mm256_set1_epi32(bytes); }
INLAY_INLINE ints low_halves(ints bytes) { return _mm256_and_si256(bytes, _mm256_set1_epi8(15)); }
INLAY_INLINE ints shifted(ints words) { return _mm256_srli_epi32(words, 4); }
INLAY_INLINE lanes number(ints x) { return _mm256_cvtepi32_ps(x); }
INLAY_INLINE lanes bytes_of(const std::uint8_t* p) {
    return number(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
#endif
INLAY_INLINE void fetch_ahead(const float* p) { __builtin_prefetch(p + nbits_f32_ahead, 0, 2); }
// sum + a b of four bytes in each lane, a unsigned. Without an instruction for it a must be less than 64, or pairs
// would saturate.
INLAY_INLINE ints add_products(ints sum, ints a, ints b) {
#if defined(__AVX512VNNI__)
    return _mm512_dpbusd_epi32(sum, a, b);
#elif defined(__AVX512F__)
    return _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(a, b), _mm512_set1_epi16(1)));
#else
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)));
#endif
}
// Sixteen floats, n of them there, as bytes.
INLAY_INLINE __m128i rounded(const float* a, std::int64_t n, lanes per) {
#if defined(__AVX512F__)
    return _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(load_some(a, n) * per));
#else
    const std::int64_t first = smaller(lane_count, n), rest = n - first;
    const __m256i low = _mm256_cvtps_epi32(load_some(a, first) * per),
                  high = rest > 0 ? _mm256_cvtps_epi32(load_some(a + lane_count, rest) * per) : _mm256_setzero_si256();
    const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
    return _mm_packs_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
#endif
}

// A word of codes as words of four unsigned bytes.
template <int Bits> struct word;
template <> struct word<4> {  // those of even positions, those of odd ones
    static constexpr int parts = 2;
    INLAY_STATIC ints part(ints codes, int i) { return low_halves(i ? shifted(codes) : codes); }
    INLAY_STATIC __m128i ordered(__m128i x) {
        return _mm_shuffle_epi8(x, _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
    }
};
template <> struct word<8> {
    static constexpr int parts = 1;
    INLAY_STATIC ints part(ints codes, int) { return codes; }
    INLAY_STATIC __m128i ordered(__m128i x) { return x; }
};

// The codes less their middle, times scale: a block's sum is the integers' sum of products, less the middle times the
// sum of the row's integers, times both scales.
template <int Bits, int Rows, int Strips, nbits_zeros Zeros>
[[gnu::noinline]] INLAY_LOCAL void tile(const nbits_s8_call& c, std::int64_t row, std::int64_t strip) noexcept {
    using form = word<Bits>;
    constexpr int parts = form::parts, head = Zeros == nbits_zeros::numbers ? 2 : 1;
    const std::int64_t step = c.b.strip_floats(level), a_row = c.b.blocks * c.b.words * 4 * parts;
    const float *const first = c.b.strips + strip * step, *b = first + c.b.zero_floats(level);
    const std::int8_t* a = c.a + row * a_row;
    const float *scales = c.scales + row * c.b.blocks, *sums = c.sums + row * c.b.blocks;
    lanes total[Rows][Strips];
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) total[r][s] = lanes(0.f);
    for (std::int64_t block = 0; block < c.b.blocks; ++block) {
        ints sum[Rows][Strips];
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) sum[r][s] =
            four_in_each(0);
        const float* from = b + head * lane_count;
        if (Strips == 1)
            for (int i = 0; i < head; ++i) fetch_ahead(b + i * lane_count);
        for (std::int64_t w = 0; w < c.b.words; ++w, from += lane_count, a += 4 * parts) {
            if (Strips == 1) fetch_ahead(from);
            INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
                const ints codes = load(from + s * step);
                INLAY_UNROLL for (int i = 0; i < parts; ++i) {
                    const ints bytes = form::part(codes, i);
                    INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                        std::int32_t four;
                        __builtin_memcpy(&four, a + r * a_row + 4 * i, 4);
                        sum[r][s] = add_products(sum[r][s], bytes, four_in_each(four));
                    }
                }
            }
        }
        INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
            const lanes scale = lanes::load_unaligned(b + s * step);
            lanes zero(float(1 << (Bits - 1)));
            if constexpr (Zeros == nbits_zeros::bytes)
                zero = bytes_of(reinterpret_cast<const std::uint8_t*>(first + s * step) + block * lane_count);
            INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                const lanes own(sums[r * c.b.blocks + block]), by(scales[r * c.b.blocks + block]);
                total[r][s] = fma(number(sum[r][s]) * by - own * zero, scale, total[r][s]);
                if constexpr (Zeros == nbits_zeros::numbers)
                    total[r][s] = fma(own, lanes::load_unaligned(b + s * step + lane_count), total[r][s]);
            }
        }
        b = from;
    }
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
        const std::int64_t column = (strip + s) * lane_count, n = smaller(lane_count, c.b.n - column);
        if (c.bias) total[r][s] += load_some(c.bias + column, n);
        store_some(c.y + (row + r) * c.y_row + column, n, total[r][s]);
    }
}
template <int Bits, int Strips, nbits_zeros Zeros>
INLAY_INLINE void all_rows(const nbits_s8_call& c, std::int64_t rows, std::int64_t strip) {
    std::int64_t row = 0;
    for (; row + most_rows <= rows; row += most_rows) tile<Bits, most_rows, Strips, Zeros>(c, row, strip);
    if (rows - row == 1) tile<Bits, 1, Strips, Zeros>(c, row, strip);
    if (rows - row == 2) tile<Bits, 2, Strips, Zeros>(c, row, strip);
    if (rows - row == 3) tile<Bits, 3, Strips, Zeros>(c, row, strip);
}
template <int Bits, nbits_zeros Zeros>
INLAY_LOCAL void all(const nbits_s8_call& c, std::int64_t rows, std::int64_t strip, std::int64_t end) noexcept {
    if (rows <= most_rows)  // memory is read in its order
        for (; strip < end; ++strip) all_rows<Bits, 1, Zeros>(c, rows, strip);
    for (; strip + some_rows_strips <= end; strip += some_rows_strips)
        all_rows<Bits, some_rows_strips, Zeros>(c, rows, strip);
    if (strip < end) all_rows<Bits, 1, Zeros>(c, rows, strip);
}
template <int Bits>
INLAY_LOCAL void multiply(const nbits_s8_call& c, std::int64_t rows, std::int64_t strip, std::int64_t end) noexcept {
    if (c.b.zeros == nbits_zeros::none)
        all<Bits, nbits_zeros::none>(c, rows, strip, end);
    else if (c.b.zeros == nbits_zeros::bytes)
        all<Bits, nbits_zeros::bytes>(c, rows, strip, end);
    else
        all<Bits, nbits_zeros::numbers>(c, rows, strip, end);
}
template <int Bits>
INLAY_LOCAL void round(const float* a, std::int64_t k, std::int64_t block, std::int8_t* to, float* scales,
                       float* sums) noexcept {
    for (std::int64_t first = 0; first < k; first += block, to += block, ++scales, ++sums) {
        const std::int64_t n = smaller(block, k - first);
        lanes most(0.f), wrong(0.f);  // wrong: NaN where a number is infinite or NaN
        along(n, [&](std::int64_t i, std::int64_t some) INLAY_INLINED {
            const lanes x = load_some(a + first + i, some);
            most = xsimd::max(most, xsimd::max(x, -x));
            wrong = fma(x, lanes(0.f), wrong);
        });
        alignas(64) float all[2][lane_count];
        most.store_aligned(all[0]);
        wrong.store_aligned(all[1]);
        float largest = 0, nothing = 0;
        for (std::int64_t i = 0; i < lane_count; ++i) {
            largest = all[0][i] > largest ? all[0][i] : largest;
            nothing += all[1][i];
        }
        const lanes per(largest > 1e-30f ? 127 / largest : 0.f);
        std::int32_t sum = 0;
        for (std::int64_t i = 0; i < block; i += 16) {
            const __m128i numbers = rounded(a + first + i, larger(0, smaller(16, n - i)), per);
            const __m128i pairs = _mm_maddubs_epi16(_mm_set1_epi8(1), numbers),
                          fours = _mm_madd_epi16(pairs, _mm_set1_epi16(1)),
                          halves = _mm_add_epi32(fours, _mm_unpackhi_epi64(fours, fours));
            sum += _mm_cvtsi128_si32(_mm_add_epi32(halves, _mm_shuffle_epi32(halves, 1)));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), word<Bits>::ordered(numbers));
        }
        *scales = largest / 127 + nothing;
        *sums = *scales * float(sum);
    }
}
#endif
}  // namespace INLAY_LEVEL::nbits_s8
}  // namespace v1
}  // namespace inlay
#if defined(__AVX512VNNI__)
INLAY_TABLE_OF_ALL(nbits_s8, {multiply<4>, round<4>}, {multiply<8>, round<8>})
#elif defined(__AVX2__)
INLAY_TABLE_OF_ALL(nbits_s8, {multiply<4>, round<4>}, {nullptr, nullptr})
#else
INLAY_TABLE_OF_ALL(nbits_s8, {nullptr, nullptr}, {nullptr, nullptr})
#endif
