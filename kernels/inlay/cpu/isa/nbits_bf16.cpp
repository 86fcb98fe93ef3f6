#include "lanes.hpp"
#include "nbits_bf16.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::nbits_bf16 {
#if defined(__AMX_BF16__)
constexpr isa::level level = isa::level::INLAY_LEVEL;
constexpr std::int64_t row_of_strip = 2 * lane_count;  // a word of each column, of two values

// Per-column data of eight columns, each duplicated: of the first eight (0) or the others (1).
INLAY_INLINE __m512i twice(__m512i columns, int half) {
    const __m512i first = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return _mm512_permutexvar_epi32(half ? _mm512_add_epi32(first, _mm512_set1_epi32(8)) : first, columns);
}
INLAY_INLINE __m512 twice(__m512 columns, int half) {
    return _mm512_castsi512_ps(twice(_mm512_castps_si512(columns), half));
}
// Quantized values 2 pair and 2 pair + 1 of each word, next to each other as words are, less 2^(Bits - 1).
template <int Bits> INLAY_INLINE __m512 numbers(__m512i words, int pair) {
    const __m512i second = _mm512_setr_epi32(0, Bits, 0, Bits, 0, Bits, 0, Bits, 0, Bits, 0, Bits, 0, Bits, 0, Bits);
    const __m512i low = _mm512_srlv_epi32(words, _mm512_add_epi32(second, _mm512_set1_epi32(2 * Bits * pair)));
    if constexpr (Bits == 4) {  // the low bits select among the sixteen values
        return _mm512_permutexvar_ps(low, _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7));
    } else {
        const __m512i code = _mm512_and_si512(low, _mm512_set1_epi32((1 << Bits) - 1));
        return _mm512_cvtepi32_ps(_mm512_sub_epi32(code, _mm512_set1_epi32(1 << (Bits - 1))));
    }
}
struct terms {  // of a block's columns: scale, and what is added
    __m512 scale, offset;
};
template <int Bits, nbits_zeros Zeros>
INLAY_INLINE terms terms_of(const float* strip, const float* head, std::int64_t block) {
    terms t{_mm512_loadu_ps(head), _mm512_setzero_ps()};
    if constexpr (Zeros == nbits_zeros::numbers) t.offset = _mm512_loadu_ps(head + lane_count);
    if constexpr (Zeros == nbits_zeros::bytes) {
        const auto* zeros = reinterpret_cast<const std::uint8_t*>(strip) + block * lane_count;
        const __m512i words = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(zeros)));
        t.offset = _mm512_mul_ps(_mm512_sub_ps(_mm512_set1_ps(1 << (Bits - 1)), _mm512_cvtepi32_ps(words)), t.scale);
    }
    return t;
}
template <int Bits, nbits_zeros Zeros>
INLAY_LOCAL void decode_strip(const nbits_f32_weights& b, const float* strip, std::int64_t block,
                              std::int64_t block_end, std::uint16_t* to, std::int64_t row) noexcept {
    constexpr int pairs = 16 / Bits, head = Zeros == nbits_zeros::numbers ? 2 : 1;
    const float* from = strip + b.zero_floats(level) + block * b.block_floats(level);
    for (; block < block_end; ++block) {
        const terms of = terms_of<Bits, Zeros>(strip, from, block);
        const __m512 scale[] = {twice(of.scale, 0), twice(of.scale, 1)},
                     offset[] = {twice(of.offset, 0), twice(of.offset, 1)};
        from += head * lane_count;
        for (std::int64_t w = 0; w < b.words; ++w, from += lane_count) {
            const __m512i words = _mm512_loadu_si512(from);
            __builtin_prefetch(from + nbits_f32_ahead, 0, 2);
            const __m512i half[] = {twice(words, 0), twice(words, 1)};
            INLAY_UNROLL for (int pair = 0; pair < pairs; ++pair, to += row) {
                __m512 x[2];
                INLAY_UNROLL for (int h = 0; h < 2; ++h) {
                    const __m512 number = numbers<Bits>(half[h], pair);
                    x[h] = Zeros == nbits_zeros::none ? _mm512_mul_ps(number, scale[h])
                                                      : _mm512_fmadd_ps(number, scale[h], offset[h]);
                }
                _mm512_storeu_si512(to, (__m512i)_mm512_cvtne2ps_pbh(x[1], x[0]));
            }
        }
    }
}
template <int Bits>
INLAY_LOCAL void decode(const nbits_f32_weights& b, std::int64_t strip, std::int64_t count, std::int64_t block,
                        std::int64_t block_end, std::uint16_t* panel) noexcept {
    for (std::int64_t s = 0; s < count; ++s, panel += row_of_strip) {
        const float* const from = b.strips + (strip + s) * b.strip_floats(level);
        if (b.zeros == nbits_zeros::none)
            decode_strip<Bits, nbits_zeros::none>(b, from, block, block_end, panel, count * row_of_strip);
        else if (b.zeros == nbits_zeros::bytes)
            decode_strip<Bits, nbits_zeros::bytes>(b, from, block, block_end, panel, count * row_of_strip);
        else
            decode_strip<Bits, nbits_zeros::numbers>(b, from, block, block_end, panel, count * row_of_strip);
    }
}
#endif
}  // namespace INLAY_LEVEL::nbits_bf16
}  // namespace v1
}  // namespace inlay
#if defined(__AMX_BF16__)
INLAY_TABLE_OF_ALL(nbits_bf16, decode<2>, decode<4>, decode<8>)
#else
INLAY_TABLE_OF_ALL(nbits_bf16, nullptr, nullptr, nullptr)
#endif
