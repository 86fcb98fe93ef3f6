#include "along.hpp"
#include "nbits_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::nbits_f32 {
#if defined(__AVX512F__)
constexpr std::int64_t most_rows = 8;
#else
constexpr std::int64_t most_rows = 4;
#endif
constexpr isa::level level = isa::level::INLAY_LEVEL;
static_assert(most_rows == nbits_f32_rows(level));

template <int Bits> struct words {
    static constexpr int codes = 32 / Bits;
    static constexpr float middle = 1 << (Bits - 1);
    // Read so that number() returns the quantized values less their middle, 2^(Bits - 1).
    static constexpr auto middles = static_cast<std::int32_t>(Bits == 2   ? 0xaaaaaaaa
                                                              : Bits == 4 ? 0x88888888
                                                                          : 0x80808080);
    [[gnu::always_inline]] static inline int_lanes load(const float* p) {
        const int_lanes word = xsimd::bitwise_cast<int_lanes>(lanes::load_unaligned(p));
#if defined(__AVX512F__)
        if (Bits == 4) return word;
#endif
        return word ^ int_lanes(middles);
    }
    // Quantized value I of each column, as float32.
    template <int I> [[gnu::always_inline]] static inline lanes number(int_lanes word) {
#if defined(__AVX512F__)
        if constexpr (Bits == 4) {  // the low bits select among the sixteen values
            const __m512 table = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
            return _mm512_permutexvar_ps(_mm512_srli_epi32(word, Bits * I), table);
        }
#endif
        return xsimd::to_float((word << (32 - Bits * (I + 1))) >> (32 - Bits));
    }
};
// How much less the zero points of a strip's columns, which are bytes, are than `middle`.
INLAY_INLINE lanes below(float middle, const std::uint8_t* zeros) {
#if defined(__AVX512F__)
    const int_lanes words = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(zeros)));
#elif defined(__AVX2__)
    const int_lanes words = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(zeros)));
#elif defined(__aarch64__)
    std::uint32_t four;
    __builtin_memcpy(&four, zeros, 4);
    const int_lanes words = vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four)))));
#else
    std::int32_t four;
    __builtin_memcpy(&four, zeros, 4);
    const __m128i zero = _mm_setzero_si128();
    const int_lanes words = _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero), zero);
#endif
    return lanes(middle) - xsimd::to_float(words);
}
INLAY_INLINE const std::uint8_t* zeros_of(const float* strip) { return reinterpret_cast<const std::uint8_t*>(strip); }
// f(number<0>) and so on.
template <int N> struct number { static constexpr int value = N; };
template <int Count, int From = 0, class F> INLAY_INLINE void each(F f) {
    if constexpr (From < Count) {
        f(number<From>{});
        each<Count, From + 1>(f);
    }
}
INLAY_INLINE void finish(const nbits_f32_call& c, std::int64_t row, std::int64_t column, lanes sum) {
    const std::int64_t n = smaller(lane_count, c.b.n - column);
    if (c.bias) sum += load_some(c.bias + column, n);
    store_some(c.y + row * c.y_row + column, n, sum);
}

INLAY_INLINE void fetch_ahead(const float* p) { __builtin_prefetch(p + nbits_f32_ahead, 0, 2); }
// One row: quantized values are accumulated unscaled, and each block's sum is scaled. Memory is read in its order.
template <int Bits, nbits_zeros Zeros>
[[gnu::noinline]] INLAY_LOCAL void one_row(const nbits_f32_call& c, std::int64_t strip) noexcept {
    using word = words<Bits>;
    constexpr int head = Zeros == nbits_zeros::numbers ? 2 : 1, sums = 4;
    const float *const first = c.b.strips + strip * c.b.strip_floats(level), *b = first + c.b.zero_floats(level),
                       *x = c.a;
    lanes total(0.f);
    for (std::int64_t block = 0; block < c.b.blocks; ++block) {
        lanes sum[sums];
        INLAY_UNROLL for (int i = 0; i < sums; ++i) sum[i] = lanes(0.f);
        const float* from = b + head * lane_count;
        for (int i = 0; i < head; ++i) fetch_ahead(b + i * lane_count);
        for (std::int64_t w = 0; w < c.b.words; ++w, from += lane_count, x += word::codes) {
            fetch_ahead(from);
            const int_lanes codes = word::load(from);
            each<word::codes>([&](auto i) INLAY_INLINED {
                sum[i.value % sums] =
                    fma(lanes(x[i.value]), word::template number<i.value>(codes), sum[i.value % sums]);
            });
        }
        lanes accumulator = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        if constexpr (Zeros == nbits_zeros::bytes)
            accumulator =
                fma(lanes(c.sums[block]), below(word::middle, zeros_of(first) + block * lane_count), accumulator);
        total = fma(accumulator, lanes::load_unaligned(b), total);
        if constexpr (Zeros == nbits_zeros::numbers)
            total = fma(lanes(c.sums[block]), lanes::load_unaligned(b + lane_count), total);
        b = from;
    }
    finish(c, 0, strip * lane_count, total);
}
// What is added to the weights of a block, whose scales lie at `scales`.
template <int Bits>
INLAY_INLINE lanes offset_of(const nbits_f32_weights& b, const float* strip, const float* scales, std::int64_t block) {
    if (b.zeros == nbits_zeros::numbers) return lanes::load_unaligned(scales + lane_count);
    if (b.zeros == nbits_zeros::none) return lanes(0.f);
    return below(words<Bits>::middle, zeros_of(strip) + block * lane_count) * lanes::load_unaligned(scales);
}
// Several rows: each weight is dequantized once, for all of them.
template <int Bits, int Rows, int Strips>
[[gnu::noinline]] INLAY_LOCAL void some_rows(const nbits_f32_call& c, std::int64_t strip) noexcept {
    using word = words<Bits>;
    const int head = c.b.zeros == nbits_zeros::numbers ? 2 : 1;
    const std::int64_t step = c.b.strip_floats(level);
    const float *const first = c.b.strips + strip * step, *b = first + c.b.zero_floats(level), *x = c.a;
    lanes sum[Rows][Strips];
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s) sum[r][s] = lanes(0.f);
    for (std::int64_t block = 0; block < c.b.blocks; ++block) {
        lanes scale[Strips], offset[Strips];
        INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
            scale[s] = lanes::load_unaligned(b + s * step);
            offset[s] = offset_of<Bits>(c.b, first + s * step, b + s * step, block);
        }
        b += head * lane_count;
        for (std::int64_t w = 0; w < c.b.words; ++w, b += lane_count, x += word::codes) {
            int_lanes codes[Strips];
            INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
                __builtin_prefetch(reinterpret_cast<const char*>(b + s * step) + 2048);
                codes[s] = word::load(b + s * step);
            }
            each<word::codes>([&](auto i) INLAY_INLINED {
                lanes weight[Strips];
                INLAY_UNROLL for (int s = 0; s < Strips; ++s) {
                    weight[s] = fma(word::template number<i.value>(codes[s]), scale[s], offset[s]);
                }
                INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                    const lanes v(x[r * c.a_row + i.value]);
                    INLAY_UNROLL for (int s = 0; s < Strips; ++s) sum[r][s] = fma(v, weight[s], sum[r][s]);
                }
            });
        }
    }
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int s = 0; s < Strips; ++s)
        finish(c, r, (strip + s) * lane_count, sum[r][s]);
}
template <int Bits, int Rows>
INLAY_LOCAL void rows(const nbits_f32_call& c, std::int64_t strip, std::int64_t end) noexcept {
    for (; Rows > 1 && strip + 2 <= end; strip += 2) some_rows<Bits, Rows, 2>(c, strip);
    for (; strip < end; ++strip) {
        if constexpr (Rows > 1)
            some_rows<Bits, Rows, 1>(c, strip);
        else if (c.b.zeros == nbits_zeros::none)
            one_row<Bits, nbits_zeros::none>(c, strip);
        else if (c.b.zeros == nbits_zeros::bytes)
            one_row<Bits, nbits_zeros::bytes>(c, strip);
        else
            one_row<Bits, nbits_zeros::numbers>(c, strip);
    }
}
template <int Bits>
INLAY_LOCAL void multiply(const nbits_f32_call& c, std::int64_t count, std::int64_t strip, std::int64_t end) noexcept {
    using function = void(const nbits_f32_call&, std::int64_t, std::int64_t) noexcept;
#if defined(__AVX512F__)
    constexpr function* by_rows[] = {rows<Bits, 1>, rows<Bits, 2>, rows<Bits, 3>, rows<Bits, 4>,
                                     rows<Bits, 5>, rows<Bits, 6>, rows<Bits, 7>, rows<Bits, 8>};
#else
    constexpr function* by_rows[] = {rows<Bits, 1>, rows<Bits, 2>, rows<Bits, 3>, rows<Bits, 4>};
#endif
    by_rows[count - 1](c, strip, end);
}
template <int Bits>
INLAY_LOCAL void decode(const nbits_f32_weights& b, std::int64_t strip, std::int64_t count, float* panel) noexcept {
    using word = words<Bits>;
    const std::int64_t row = count * lane_count;
    for (std::int64_t s = 0; s < count; ++s) {
        const float *const first = b.strips + (strip + s) * b.strip_floats(level), *from = first + b.zero_floats(level);
        float* to = panel + s * lane_count;
        std::int64_t left = b.k;
        for (std::int64_t block = 0; block < b.blocks; ++block) {
            const lanes scale = lanes::load_unaligned(from), offset = offset_of<Bits>(b, first, from, block);
            from += (b.zeros == nbits_zeros::numbers ? 2 : 1) * lane_count;
            for (std::int64_t w = 0; w < b.words; ++w, from += lane_count, left -= word::codes) {
                const int_lanes codes = word::load(from);
                const auto put = [&](auto i) INLAY_INLINED {
                    fma(word::template number<i.value>(codes), scale, offset).store_unaligned(to + i.value * row);
                };
                if (left >= word::codes)
                    each<word::codes>(put);
                else
                    each<word::codes>([&](auto i) INLAY_INLINED {
                        if (i.value < left) put(i);
                    });
                to += word::codes * row;
            }
        }
    }
}
}  // namespace INLAY_LEVEL::nbits_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(nbits_f32, {multiply<2>, decode<2>}, {multiply<4>, decode<4>}, {multiply<8>, decode<8>})
