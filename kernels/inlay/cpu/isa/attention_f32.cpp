// Softmax of masked scores without its division, with a running maximum and sum, so that keys may come in blocks.
#include "along.hpp"
#include "attention_f32.hpp"
#include "math_f32.hpp"
#include <type_traits>

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::attention_f32 {
constexpr float lowest = -__builtin_inff();
// Truth bytes as float32: 0 is 0.
INLAY_INLINE lanes widened(const std::uint8_t* p) {
#if defined(__AVX512F__)
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif defined(__AVX2__)
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#elif defined(__aarch64__)
    std::uint32_t four;
    __builtin_memcpy(&four, p, 4);
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four)))));
#else
    return _mm_cvtepi32_ps(_mm_setr_epi32(p[0], p[1], p[2], p[3]));
#endif
}
INLAY_INLINE lanes widened_some(const std::uint8_t* p, std::int64_t n, std::uint8_t rest) {
    if (n == lane_count) return widened(p);
    alignas(16) std::uint8_t bytes[lane_count];
    for (std::int64_t i = 0; i < lane_count; ++i) bytes[i] = i < n ? p[i] : rest;
    return widened(bytes);
}

INLAY_INLINE void clear(float* x, std::int64_t n) {
    along(n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED { store_some(x + i, k, lanes(0.f)); });
}
struct unmasked {
    lanes operator()(lanes x, std::int64_t, std::int64_t, std::int64_t) const { return x; }
};
template <class Masked> INLAY_INLINE void soften_rows(const attention_f32_rows& c, Masked masked) {
    for (std::int64_t r = 0; r < c.rows; ++r) {
        float* const row = c.scores + r * c.row;
        std::int64_t from = 0, keys = c.keys;
        if (c.begin) {
            from = larger(0, smaller(c.begin[r], keys));
            keys = larger(0, smaller(c.end[r], keys) - from);
        }
        float* const x = row + from;
        lanes m(lowest), s[2] = {lanes(0.f), lanes(0.f)};
        along(keys, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
            const lanes v = masked(load_some(x + i, n, lowest), r, from + i, n);
            if constexpr (!std::is_same_v<Masked, unmasked>) store_some(x + i, n, v);
            m = xsimd::max(v, m);  // this order: m is kept where v is NaN
        });
        const float before = c.first ? lowest : c.most[r], largest = largest_of(m),
                    most = largest > before ? largest : before;
        const lanes base(most == lowest ? 0.f : most);  // all of it masked so far: e^-inf is 0
        std::int64_t i = 0;
        for (; i + 2 * lane_count <= keys; i += 2 * lane_count) _Pragma("GCC unroll 2") for (int k = 0; k < 2; ++k) {
                const lanes e = exp_of_nonpositive<true>(lanes::load_unaligned(x + i + k * lane_count) - base);
                e.store_unaligned(x + i + k * lane_count);
                s[k] += e;
            }
        along(keys - i, [&](std::int64_t j, std::int64_t n) INLAY_INLINED {
            const lanes e = exp_of_nonpositive<true>(load_some(x + i + j, n, lowest) - base);
            store_some(x + i + j, n, e);
            s[0] += e;
        });
        // Now: the rest of the row, loaded above together with the elements after it, would wait for these stores.
        clear(row, from);
        clear(x + keys, c.keys - from - keys);
        const float sum = xsimd::hadd(s[0] + s[1]);
        if (!c.first) {
            alignas(64) float shrink[lane_count];
            exp_of_nonpositive<true>(lanes(before) - base).store_aligned(shrink);
            c.shrink[r] = shrink[0];
        }
        c.sum[r] = c.first ? sum : c.sum[r] * c.shrink[r] + sum;
        c.most[r] = most;
    }
}
INLAY_LOCAL void soften(const attention_f32_rows& c) noexcept {
    if (c.add && c.mask_key)
        soften_rows(c, [&](lanes x, std::int64_t r, std::int64_t i, std::int64_t n)
                           INLAY_INLINED { return x + load_some(c.add + r * c.mask_row + i, n); });
    else if (c.add)
        soften_rows(c, [&](lanes x, std::int64_t r, std::int64_t, std::int64_t)
                           INLAY_INLINED { return x + lanes(c.add[r * c.mask_row]); });
    else if (c.truths && c.mask_key && c.fills)
        soften_rows(c, [&](lanes x, std::int64_t r, std::int64_t i, std::int64_t n) INLAY_INLINED {
            return xsimd::select(widened_some(c.truths + r * c.mask_row + i, n, 0) == lanes(0.f), x, lanes(c.fill));
        });
    else if (c.truths && c.mask_key)
        soften_rows(c, [&](lanes x, std::int64_t r, std::int64_t i, std::int64_t n) INLAY_INLINED {
            return xsimd::select(widened_some(c.truths + r * c.mask_row + i, n, 1) == lanes(0.f), lanes(c.fill), x);
        });
    else if (c.truths)
        soften_rows(c, [&](lanes x, std::int64_t r, std::int64_t, std::int64_t)
                           INLAY_INLINED { return (c.truths[r * c.mask_row] != 0) == c.fills ? lanes(c.fill) : x; });
    else
        soften_rows(c, unmasked{});
}
INLAY_LOCAL void scale_rows(float* y, std::int64_t row, std::int64_t rows, std::int64_t n,
                            const float* factors) noexcept {
    for (std::int64_t r = 0; r < rows; ++r, y += row) {
        const lanes f(factors[r]);
        along(n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED { store_some(y + i, k, load_some(y + i, k) * f); });
    }
}
INLAY_LOCAL void divide_rows(float* y, std::int64_t row, std::int64_t rows, std::int64_t n,
                             const float* divisors) noexcept {
    for (std::int64_t r = 0; r < rows; ++r, y += row) {
        const lanes f(1 / divisors[r]);
        along(n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED { store_some(y + i, k, load_some(y + i, k) * f); });
    }
}
template <int N> struct count_of { static constexpr int value = N; };
constexpr std::int64_t ahead = 32;  // rows of K and V to prefetch: they are read from memory once
constexpr std::int64_t near = 32;   // rows of K or V that stay in the first-level cache while all of Q's pass by
// f(Rows, row): all rows, up to four at a time.
template <class F> INLAY_INLINE void by_rows(std::int64_t rows, F f) {
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) f(count_of<4>{}, r);
    if (rows - r == 3) f(count_of<3>{}, r);
    if (rows - r == 2) f(count_of<2>{}, r);
    if (rows - r == 1) f(count_of<1>{}, r);
}
// Accumulators in registers besides the operands.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int sums_together = 16;
#else
constexpr int sums_together = 8;
#endif
#if defined(__AVX512F__)
// Lane i: the sum of x[i]'s lanes.
INLAY_INLINE lanes sums_of(const lanes (&x)[16]) {
    __m512 four[4];
    INLAY_UNROLL for (int i = 0; i < 4; ++i) {
        const __m512 a[] = {x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
        const __m512 low = _mm512_add_ps(_mm512_unpacklo_ps(a[0], a[1]), _mm512_unpackhi_ps(a[0], a[1])),
                     high = _mm512_add_ps(_mm512_unpacklo_ps(a[2], a[3]), _mm512_unpackhi_ps(a[2], a[3]));
        four[i] = _mm512_shuffle_ps(low, high, 0x44) + _mm512_shuffle_ps(low, high, 0xee);
    }
    INLAY_UNROLL for (int i = 0; i < 2; ++i) four[i] = _mm512_shuffle_f32x4(four[2 * i], four[2 * i + 1], 0x88) +
                                                       _mm512_shuffle_f32x4(four[2 * i], four[2 * i + 1], 0xdd);
    return _mm512_shuffle_f32x4(four[0], four[1], 0x88) + _mm512_shuffle_f32x4(four[0], four[1], 0xdd);
}
#endif
template <int Rows, int Keys>
INLAY_INLINE void store_scores(const lanes (&s)[Rows][Keys], float scale, float* scores, std::int64_t row) {
#if defined(__AVX512F__)
    if constexpr (Keys > 1) {
        lanes accumulators[sums_together];
        alignas(64) float sums[sums_together];
        INLAY_UNROLL for (int i = 0; i < sums_together; ++i) accumulators[i] =
            i < Rows * Keys ? s[i / Keys][i % Keys] : lanes(0.f);
        (sums_of(accumulators) * lanes(scale)).store_aligned(sums);
        INLAY_UNROLL for (int r = 0; r < Rows; ++r)
            __builtin_memcpy(scores + r * row, sums + r * Keys, Keys * sizeof(float));
        return;
    }
#endif
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int t = 0; t < Keys; ++t) scores[r * row + t] =
        xsimd::hadd(s[r][t]) * scale;
}
// Rows x keys scores at once, so that each float32 of them is read once.
template <int Rows, int Keys>
INLAY_INLINE void dots_of(const attention_f32_few& q, const float* k, std::int64_t k_row, std::int64_t n, float scale,
                          float* scores, std::int64_t scores_row) {
    lanes s[Rows][Keys];
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int t = 0; t < Keys; ++t) s[r][t] = lanes(0.f);
    along(n, [&](std::int64_t i, std::int64_t m) INLAY_INLINED {
        lanes of_k[Keys];
        INLAY_UNROLL for (int t = 0; t < Keys; ++t) {
            of_k[t] = load_some(k + t * k_row + i, m);
            __builtin_prefetch(k + (t + ahead) * k_row + i, 0, 2);
        }
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
            const lanes of_q = load_some(q.x + r * q.row + i, m);
            INLAY_UNROLL for (int t = 0; t < Keys; ++t) s[r][t] = fma(of_q, of_k[t], s[r][t]);
        }
    });
    store_scores(s, scale, scores, scores_row);
}
template <int Rows>
INLAY_INLINE void dots_of_rows(const attention_f32_few& q, const float* k, std::int64_t k_row, std::int64_t keys,
                               std::int64_t n, float scale, float* scores, std::int64_t scores_row) {
    constexpr int together = sums_together / (Rows == 3 ? 4 : Rows);
    std::int64_t t = 0;
    for (; t + together <= keys; t += together)
        dots_of<Rows, together>(q, k + t * k_row, k_row, n, scale, scores + t, scores_row);
    for (; t < keys; ++t) dots_of<Rows, 1>(q, k + t * k_row, k_row, n, scale, scores + t, scores_row);
}
INLAY_LOCAL void dots(const attention_f32_few& q, const float* k, std::int64_t k_row, std::int64_t keys, std::int64_t n,
                      float scale, float* scores, std::int64_t scores_row) noexcept {
    for (std::int64_t t = 0; t < keys; t += near)
        by_rows(q.rows, [&](auto rows, std::int64_t r) INLAY_INLINED {
            dots_of_rows<rows.value>({q.x + r * q.row, q.row, rows.value}, k + t * k_row, k_row,
                                     smaller(near, keys - t), n, scale, scores + r * scores_row + t, scores_row);
        });
}
// Rows of y by so many vectors of columns, m in each.
template <int Rows, int Vectors>
INLAY_INLINE void weigh_columns(const attention_f32_few& p, const float* v, std::int64_t v_row, std::int64_t keys,
                                std::int64_t m, bool adds, float* y, std::int64_t y_row) {
    lanes sum[Rows][Vectors];
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int c = 0; c < Vectors; ++c) sum[r][c] =
        adds ? load_some(y + r * y_row + c * lane_count, m) : lanes(0.f);
    for (std::int64_t t = 0; t < keys; ++t, v += v_row) {
        lanes of_v[Vectors];
        INLAY_UNROLL for (int c = 0; c < Vectors; ++c) {
            of_v[c] = load_some(v + c * lane_count, m);
            __builtin_prefetch(v + ahead * v_row + c * lane_count, 0, 2);
        }
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
            const lanes weight(p.x[r * p.row + t]);
            INLAY_UNROLL for (int c = 0; c < Vectors; ++c) sum[r][c] = fma(weight, of_v[c], sum[r][c]);
        }
    }
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int c = 0; c < Vectors; ++c)
        store_some(y + r * y_row + c * lane_count, m, sum[r][c]);
}
template <int Rows>
INLAY_INLINE void weigh_rows(const attention_f32_few& p, const float* v, std::int64_t v_row, std::int64_t keys,
                             std::int64_t n, bool adds, float* y, std::int64_t y_row) {
    constexpr int vectors = sums_together / 4;
    std::int64_t i = 0;
    for (; i + vectors * lane_count <= n; i += vectors * lane_count)
        weigh_columns<Rows, vectors>(p, v + i, v_row, keys, lane_count, adds, y + i, y_row);
    along(n - i, [&](std::int64_t j, std::int64_t m)
                     INLAY_INLINED { weigh_columns<Rows, 1>(p, v + i + j, v_row, keys, m, adds, y + i + j, y_row); });
}
INLAY_LOCAL void weigh(const attention_f32_few& p, const float* v, std::int64_t v_row, std::int64_t keys,
                       std::int64_t n, bool adds, float* y, std::int64_t y_row) noexcept {
    for (std::int64_t t = 0; t < keys; t += near)
        by_rows(p.rows, [&](auto rows, std::int64_t r) INLAY_INLINED {
            weigh_rows<rows.value>({p.x + r * p.row + t, p.row, rows.value}, v + t * v_row, v_row,
                                   smaller(near, keys - t), n, adds || t > 0, y + r * y_row, y_row);
        });
}
INLAY_LOCAL void cap(float* scores, std::int64_t row, std::int64_t rows, std::int64_t keys, float most) noexcept {
    const lanes cap(most), inverse(1 / most);
    for (std::int64_t r = 0; r < rows; ++r, scores += row)
        along(keys, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
            store_some(scores + i, n, cap * tanh_of(load_some(scores + i, n) * inverse));
        });
}
INLAY_LOCAL void add(float* scores, std::int64_t row, std::int64_t rows, std::int64_t keys, const float* numbers,
                     std::int64_t numbers_row) noexcept {
    for (std::int64_t r = 0; r < rows; ++r, scores += row, numbers += numbers_row)
        along(keys, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
            store_some(scores + i, n, load_some(scores + i, n) + load_some(numbers + i, n));
        });
}
INLAY_LOCAL void turn(const float* x, const float* cosines, const float* sines, std::int64_t pairs, std::int64_t n,
                      bool neighbours, float* y) noexcept {
    if (neighbours)
        for (std::int64_t i = 0; i < pairs; ++i) {
            const float a = x[2 * i], b = x[2 * i + 1];
            y[2 * i] = a * cosines[i] - b * sines[i];
            y[2 * i + 1] = a * sines[i] + b * cosines[i];
        }
    else
        along(pairs, [&](std::int64_t i, std::int64_t m) INLAY_INLINED {
            const lanes a = load_some(x + i, m), b = load_some(x + pairs + i, m), c = load_some(cosines + i, m),
                        s = load_some(sines + i, m);
            store_some(y + i, m, a * c - b * s);
            store_some(y + pairs + i, m, a * s + b * c);
        });
    if (x != y)
        along(n - 2 * pairs, [&](std::int64_t i, std::int64_t m)
                                 INLAY_INLINED { store_some(y + 2 * pairs + i, m, load_some(x + 2 * pairs + i, m)); });
}
INLAY_LOCAL void widen(const std::int8_t* x, const float* scale, std::int64_t step, std::int64_t n, float* y) noexcept {
    along(n, [&](std::int64_t i, std::int64_t m) INLAY_INLINED {
        const lanes codes = widened_some(reinterpret_cast<const std::uint8_t*>(x) + i, m, 0),
                    numbers = codes - xsimd::select(codes < lanes(128.f), lanes(0.f), lanes(256.f));
        store_some(y + i, m, numbers * (step ? load_some(scale + i, m) : lanes(*scale)));
    });
}
}  // namespace INLAY_LEVEL::attention_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(attention_f32, soften, scale_rows, divide_rows, dots, weigh, cap, add, turn, widen)
