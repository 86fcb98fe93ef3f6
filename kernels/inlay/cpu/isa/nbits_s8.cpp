#include "along.hpp"
#include "math_f32.hpp"
#include "nbits_s8.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::nbits_s8 {
#if defined(__AVX2__)
constexpr isa::level level = isa::level::INLAY_LEVEL;
#if defined(__AVX512F__)
constexpr int strips_together = 2;
using ints = __m512i;
INLAY_INLINE ints load(const float* p) { return _mm512_loadu_si512(p); }
INLAY_INLINE void store(float* p, ints x) { _mm512_storeu_si512(p, x); }
INLAY_INLINE ints four_in_each(std::int32_t bytes) { return _mm512_set1_epi32(bytes); }
INLAY_INLINE ints low_halves(ints bytes) { return _mm512_and_si512(bytes, _mm512_set1_epi8(15)); }
INLAY_INLINE ints shifted(ints words) { return _mm512_srli_epi32(words, 4); }
INLAY_INLINE lanes number(ints x) { return _mm512_cvtepi32_ps(x); }
INLAY_INLINE lanes bytes_of(const std::uint8_t* p) {
    return number(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
#else
constexpr int strips_together = 1;
using ints = __m256i;
INLAY_INLINE ints load(const float* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
INLAY_INLINE void store(float* p, ints x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
INLAY_INLINE ints four_in_each(std::int32_t bytes) { return _mm256_set1_epi32(bytes); }
INLAY_INLINE ints low_halves(ints bytes) { return _mm256_and_si256(bytes, _mm256_set1_epi8(15)); }
INLAY_INLINE ints shifted(ints words) { return _mm256_srli_epi32(words, 4); }
INLAY_INLINE lanes number(ints x) { return _mm256_cvtepi32_ps(x); }
INLAY_INLINE lanes bytes_of(const std::uint8_t* p) {
    return number(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
#endif
INLAY_INLINE void fetch_ahead(const float* p) { __builtin_prefetch(p + nbits_f32_ahead, 0, 2); }
// Accumulators have the type of the instruction: gcc copies those of another one in each step of a loop.
using sums = std::int32_t __attribute__((vector_size(sizeof(ints))));
// sum + a b of four bytes in each lane, a unsigned. Without an instruction for it a must be less than 64, or pair sums
// would saturate.
INLAY_INLINE sums add_products(sums sum, ints a, ints b) {
#if defined(__AVX512VNNI__)
    return sums(_mm512_dpbusd_epi32(ints(sum), a, b));
#elif defined(__AVX512F__)
    return sum + sums(_mm512_madd_epi16(_mm512_maddubs_epi16(a, b), _mm512_set1_epi16(1)));
#else
    return sum + sums(_mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)));
#endif
}
// Sixteen float32, n of them present, as bytes.
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

// Unpacks a word of quantized values into words of four unsigned bytes.
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

// A block's result is the integer dot product, of the quantized values less their
// middle, times both scales. Where zero points are not the middle, the difference
// times the row's integer sum is subtracted: exact, in blocks of up to 256.
template <int Bits, int Rows, int Strips, nbits_zeros Zeros>
[[gnu::noinline]] INLAY_LOCAL void tile(const nbits_s8_call& c, std::int64_t row, std::int64_t strip) noexcept {
    using form = word<Bits>;
    constexpr int parts = form::parts, head = Zeros == nbits_zeros::numbers ? 2 : 1;
    const std::int64_t step = c.b.strip_floats(level), a_row = c.b.blocks * c.b.words * 4 * parts;
    const float *const first = c.b.strips + strip * step, *b = first + c.b.zero_floats(level);
    const std::int8_t* a = c.a + row * a_row;
    const float* scales = c.scales + row * c.b.blocks;
    const std::int32_t* offsets = c.offsets + row * c.b.blocks;
    const lanes per_offset(-1 / c.middle);
    lanes total[Rows][Strips];
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) total[r][s] = lanes(0.f);
    for (std::int64_t block = 0; block < c.b.blocks; ++block) {
        sums sum[Rows][Strips];
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) sum[r][s] =
            sums(four_in_each(offsets[r * c.b.blocks + block]));
        const float* from = b + head * lane_count;
        if (Strips == 1)
            for (int i = 0; i < head; ++i) fetch_ahead(b + i * lane_count);
        for (std::int64_t w = 0; w < c.b.words; ++w, from += lane_count, a += 4 * parts) {
            if (Strips == 1) fetch_ahead(from);
            INLAY_UNROLL for (int i = 0; i < parts; ++i) {
                ints bytes[Strips];
                INLAY_UNROLL for (int s = 0; s < Strips; ++s) bytes[s] = form::part(load(from + s * step), i);
                INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                    std::int32_t four;
                    __builtin_memcpy(&four, a + r * a_row + 4 * i, 4);
                    INLAY_UNROLL for (int s = 0; s < Strips; ++s) sum[r][s] =
                        add_products(sum[r][s], bytes[s], four_in_each(four));
                }
            }
        }
        INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
            const lanes scale = lanes::load_unaligned(b + s * step);
            lanes zero;  // what a row's offset is multiplied by
            if constexpr (Zeros == nbits_zeros::bytes) {
                const auto* const zeros = reinterpret_cast<const std::uint8_t*>(first + s * step);
                zero = (lanes(c.middle) - bytes_of(zeros + block * lane_count)) * per_offset;
            }
            if constexpr (Zeros == nbits_zeros::numbers)
                zero = lanes::load_unaligned(b + s * step + lane_count) * per_offset;
            INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                lanes exact = number(ints(sum[r][s]));
                const lanes by(scales[r * c.b.blocks + block]),
                    offset(static_cast<float>(offsets[r * c.b.blocks + block]));
                if constexpr (Zeros == nbits_zeros::bytes) exact = fma(offset, zero, exact);
                total[r][s] = fma(exact * by, scale, total[r][s]);
                if constexpr (Zeros == nbits_zeros::numbers) total[r][s] = fma(offset * by, zero, total[r][s]);
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
    if constexpr (Strips > 1)
        for (; row + 6 <= rows; row += 6) tile<Bits, 6, Strips, Zeros>(c, row, strip);
    for (; row + 4 <= rows; row += 4) tile<Bits, 4, Strips, Zeros>(c, row, strip);
    if (rows - row == 3) tile<Bits, 3, Strips, Zeros>(c, row, strip);
    if (rows - row == 2) tile<Bits, 2, Strips, Zeros>(c, row, strip);
    if (rows - row == 1) tile<Bits, 1, Strips, Zeros>(c, row, strip);
}
// 4-bit strips as those of bytes, in the order of the row's integers.
INLAY_LOCAL nbits_s8_call widened(const nbits_s8_call& c, std::int64_t strip, std::int64_t count) noexcept {
    nbits_s8_call wide = c;
    wide.b.words *= word<4>::parts;
    wide.b.strips = c.panel;
    wide.b.n -= strip * lane_count;
    wide.y += strip * lane_count;
    if (c.bias) wide.bias += strip * lane_count;
    const std::int64_t head = c.b.zeros == nbits_zeros::numbers ? 2 : 1;
    float* to = c.panel;
    const auto copy = [&](const float* from, std::int64_t vectors) INLAY_INLINED {
        for (std::int64_t i = 0; i < vectors; ++i, to += lane_count) store(to, load(from + i * lane_count));
    };
    for (std::int64_t s = 0; s < count; ++s) {
        const float* from = c.b.strips + (strip + s) * c.b.strip_floats(level);
        const std::int64_t zeros = c.b.zero_floats(level);
        copy(from, zeros / lane_count);
        from += zeros;
        for (std::int64_t block = 0; block < c.b.blocks; ++block) {
            copy(from, head);
            from += head * lane_count;
            for (std::int64_t w = 0; w < c.b.words; ++w, from += lane_count) {
                fetch_ahead(from);
                const ints codes = load(from);
                INLAY_UNROLL for (int i = 0; i < word<4>::parts; ++i, to += lane_count)
                    store(to, word<4>::part(codes, i));
            }
        }
    }
    return wide;
}
template <int Bits, int Strips, nbits_zeros Zeros>
INLAY_INLINE std::int64_t some_strips(const nbits_s8_call& c, std::int64_t rows, std::int64_t strip, std::int64_t end) {
    for (; strip + Strips <= end; strip += Strips)
        if (Bits == 4 && rows > nbits_s8_some_rows)
            all_rows<8, Strips, Zeros>(widened(c, strip, Strips), rows, 0);
        else
            all_rows<Bits, Strips, Zeros>(c, rows, strip);
    return strip;
}
template <int Bits, nbits_zeros Zeros>
INLAY_LOCAL void all(const nbits_s8_call& c, std::int64_t rows, std::int64_t strip, std::int64_t end) noexcept {
    if (rows > 4)  // others are limited by memory, which is read in its order
        strip = some_strips<Bits, strips_together, Zeros>(c, rows, strip, end);
    some_strips<Bits, 1, Zeros>(c, rows, strip, end);
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
                       std::int32_t* offsets) noexcept {
    lanes wrong(0.f);  // NaN where an input is infinite or NaN
    for (std::int64_t first = 0; first < k; first += block, to += block, ++scales, ++offsets) {
        const std::int64_t n = smaller(block, k - first);
        lanes most(0.f);
        along(n, [&](std::int64_t i, std::int64_t count) INLAY_INLINED {
            const lanes x = load_some(a + first + i, count);
            most = xsimd::max(most, xsimd::max(x, -x));
            wrong = fma(x, lanes(0.f), wrong);
        });
        const float largest = largest_of(most);
        const lanes per(largest > 1e-30f ? 127 / largest : 0.f);
        __m128i fours = _mm_setzero_si128();
        for (std::int64_t i = 0; i < block; i += 16) {
            const __m128i numbers = rounded(a + first + i, larger(0, smaller(16, n - i)), per);
            const __m128i pairs = _mm_maddubs_epi16(_mm_set1_epi8(1), numbers);
            fours = _mm_add_epi32(fours, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), word<Bits>::ordered(numbers));
        }
        const __m128i halves = _mm_add_epi32(fours, _mm_unpackhi_epi64(fours, fours));
        const std::int32_t sum = _mm_cvtsi128_si32(_mm_add_epi32(halves, _mm_shuffle_epi32(halves, 1)));
        *scales = largest / 127;
        *offsets = -sum * (1 << (Bits - 1));
    }
    if (k > 0) scales[-1] += xsimd::hadd(wrong);
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
