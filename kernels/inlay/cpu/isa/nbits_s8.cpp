#include "along.hpp"
#include "nbits_s8.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::nbits_s8 {
#if defined(__AVX512VNNI__)
constexpr int most_rows = 4;
constexpr isa::level level = isa::level::INLAY_LEVEL;

// A word of codes as words of four unsigned bytes.
template <int Bits> struct word;
template <> struct word<4> {  // those of even positions, those of odd ones
    static constexpr int parts = 2;
    INLAY_STATIC __m512i part(__m512i codes, int i) {
        return _mm512_and_si512(i ? _mm512_srli_epi32(codes, 4) : codes, _mm512_set1_epi8(15));
    }
    INLAY_STATIC __m128i ordered(__m128i x) {
        return _mm_shuffle_epi8(x, _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
    }
};
template <> struct word<8> {
    static constexpr int parts = 1;
    INLAY_STATIC __m512i part(__m512i codes, int) { return codes; }
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
        __m512i sum[Rows][Strips];
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) sum[r][s] =
            _mm512_setzero_si512();
        const float* from = b + head * lane_count;
        for (std::int64_t w = 0; w < c.b.words; ++w, from += lane_count, a += 4 * parts) {
            INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
                if (Rows == 1) __builtin_prefetch(reinterpret_cast<const char*>(from + s * step) + 2048);
                const __m512i codes = _mm512_loadu_si512(from + s * step);
                INLAY_UNROLL for (int i = 0; i < parts; ++i) {
                    const __m512i bytes = form::part(codes, i);
                    INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                        std::int32_t four;
                        __builtin_memcpy(&four, a + r * a_row + 4 * i, 4);
                        sum[r][s] = _mm512_dpbusd_epi32(sum[r][s], bytes, _mm512_set1_epi32(four));
                    }
                }
            }
        }
        INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
            const lanes scale = lanes::load_unaligned(b + s * step);
            lanes zero(float(1 << (Bits - 1)));
            if constexpr (Zeros == nbits_zeros::bytes)
                zero = _mm512_cvtepi32_ps(
                    _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first + s * step) + block)));
            INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                const lanes own(sums[r * c.b.blocks + block]), by(scales[r * c.b.blocks + block]);
                total[r][s] = fma(lanes(_mm512_cvtepi32_ps(sum[r][s])) * by - own * zero, scale, total[r][s]);
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
    if (rows == 1)
        for (; strip + 4 <= end; strip += 4) tile<Bits, 1, 4, Zeros>(c, 0, strip);
    for (; strip + 2 <= end; strip += 2) all_rows<Bits, 2, Zeros>(c, rows, strip);
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
        __m512 most = _mm512_setzero_ps(), wrong = most;  // wrong: NaN where a number is infinite or NaN
        along(n, [&](std::int64_t i, std::int64_t some) INLAY_INLINED {
            const lanes x = load_some(a + first + i, some);
            most = _mm512_max_ps(_mm512_abs_ps(x), most);
            wrong = fma(x, lanes(0.f), lanes(wrong));
        });
        const float largest = _mm512_reduce_max_ps(most);
        const lanes per(largest > 1e-30f ? 127 / largest : 0.f);
        __m512i all = _mm512_setzero_si512();
        for (std::int64_t i = 0; i < block; i += lane_count) {
            const std::int64_t some = larger(0, smaller(lane_count, n - i));
            const __m512i numbers = _mm512_cvtps_epi32(load_some(a + first + i, some) * per);
            all = _mm512_add_epi32(all, numbers);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), word<Bits>::ordered(_mm512_cvtsepi32_epi8(numbers)));
        }
        *scales = largest / 127 + _mm512_reduce_add_ps(wrong);
        *sums = *scales * float(_mm512_reduce_add_epi32(all));
    }
}
#else
template <int> constexpr decltype(nbits_s8_table::form::multiply) multiply = nullptr;
template <int> constexpr decltype(nbits_s8_table::form::round) round = nullptr;
#endif
}  // namespace INLAY_LEVEL::nbits_s8
}  // namespace v1
}  // namespace inlay
INLAY_TABLE_OF_ALL(nbits_s8, {multiply<4>, round<4>}, {multiply<8>, round<8>})
