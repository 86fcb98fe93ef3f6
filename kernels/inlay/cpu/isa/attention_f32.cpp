// Softmax of masked scores without its quotient, with a running maximum and sum, so that keys may come in blocks.
#include "along.hpp"
#include "attention_f32.hpp"
#include "math_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::attention_f32 {
constexpr float lowest = -__builtin_inff();
INLAY_INLINE float largest_in(lanes x) {  // no NaN in it
    alignas(64) float all[lane_count];
    x.store_aligned(all);
    float most = all[0];
    for (std::int64_t i = 1; i < lane_count; ++i)
        if (all[i] > most) most = all[i];
    return most;
}
// Bytes as floats: 0 is 0.
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
    alignas(16) std::uint8_t all[lane_count];
    for (std::int64_t i = 0; i < lane_count; ++i) all[i] = i < n ? p[i] : rest;
    return widened(all);
}

template <class Masked> INLAY_INLINE void soften_rows(const attention_f32_rows& c, Masked masked) {
    for (std::int64_t r = 0; r < c.rows; ++r) {
        float* const x = c.scores + r * c.row;
        lanes m(lowest), s[2] = {lanes(0.f), lanes(0.f)};
        along(c.keys, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
            const lanes v = masked(load_some(x + i, n, lowest), r, i, n);
            store_some(x + i, n, v);
            m = xsimd::max(v, m);  // this order: m is kept where v is NaN
        });
        const float before = c.first ? lowest : c.most[r], here = largest_in(m), most = here > before ? here : before;
        const lanes base(most == lowest ? 0.f : most);  // all of it masked so far: e^-inf is 0
        std::int64_t i = 0;
        for (; i + 2 * lane_count <= c.keys; i += 2 * lane_count) _Pragma("GCC unroll 2") for (int k = 0; k < 2; ++k) {
                const lanes e = exp_of_nonpositive(lanes::load_unaligned(x + i + k * lane_count) - base);
                e.store_unaligned(x + i + k * lane_count);
                s[k] += e;
            }
        along(c.keys - i, [&](std::int64_t j, std::int64_t n) INLAY_INLINED {
            const lanes e = exp_of_nonpositive(load_some(x + i + j, n, lowest) - base);
            store_some(x + i + j, n, e);
            s[0] += e;
        });
        const float sum = xsimd::hadd(s[0] + s[1]);
        if (!c.first) {
            alignas(64) float shrink[lane_count];
            exp_of_nonpositive(lanes(before) - base).store_aligned(shrink);
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
        soften_rows(c, [](lanes x, std::int64_t, std::int64_t, std::int64_t) INLAY_INLINED { return x; });
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
INLAY_LOCAL void dots(const float* q, const float* k, std::int64_t row, std::int64_t keys, std::int64_t n, float scale,
                      float* scores) noexcept {
    for (std::int64_t t = 0; t < keys; ++t, k += row) {
        lanes s[2] = {lanes(0.f), lanes(0.f)};
        std::int64_t i = 0;
        for (; i + 2 * lane_count <= n; i += 2 * lane_count)
            _Pragma("GCC unroll 2") for (int v = 0; v < 2; ++v) s[v] =
                fma(lanes::load_unaligned(q + i + v * lane_count), lanes::load_unaligned(k + i + v * lane_count), s[v]);
        along(n - i, [&](std::int64_t j, std::int64_t m)
                         INLAY_INLINED { s[0] = fma(load_some(q + i + j, m), load_some(k + i + j, m), s[0]); });
        scores[t] = xsimd::hadd(s[0] + s[1]) * scale;
    }
}
}  // namespace INLAY_LEVEL::attention_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(attention_f32, soften, scale_rows, divide_rows, dots)
