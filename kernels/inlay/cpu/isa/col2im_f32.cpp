// All taps of some vectors of a run are added before these are stored: adding tap by tap would load, slightly shifted,
// what has just been stored.
#include "along.hpp"
#include "col2im_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::col2im_f32 {
// Loads lanes [first, end), which may be none of a vector's or all; the rest are 0.
struct window {
#if defined(__AVX512F__)
    __mmask16 of;
    INLAY_STATIC unsigned below(std::int64_t n) { return (1u << larger(0, smaller(lane_count, n))) - 1; }
    INLAY_STATIC window make(std::int64_t first, std::int64_t end) { return {__mmask16(below(end) & ~below(first))}; }
    INLAY_STATIC lanes load(const window& w, const float* p) { return _mm512_maskz_loadu_ps(w.of, p); }
#else
    std::int64_t first, end;
    INLAY_STATIC window make(std::int64_t first, std::int64_t end) {
        return {larger(0, first), smaller(lane_count, end)};
    }
    INLAY_STATIC lanes load(const window& w, const float* p) {
        if (w.first == 0 && w.end == lane_count) return lanes::load_unaligned(p);
        if (w.first >= w.end) return lanes(0.f);
#if defined(__AVX2__)
        return _mm256_maskload_ps(p, _mm256_andnot_si256(first_lanes(w.first), first_lanes(w.end)));
#else
        alignas(64) float values[lane_count];
        for (std::int64_t i = 0; i < lane_count; ++i) values[i] = i >= w.first && i < w.end ? p[i] : 0;
        return lanes::load_aligned(values);
#endif
    }
#endif
};
template <int Vectors>
INLAY_INLINE void add_some(const col2im_f32_call& c, std::int64_t run, std::int64_t i, std::int64_t n, float* y) {
    lanes sum[Vectors];
    window windows[Vectors];
    INLAY_UNROLL for (int v = 0; v < Vectors; ++v) sum[v] = lanes(0.f);
    for (std::int64_t t = c.starts[run]; t < c.starts[run + 1]; ++t) {
        const col2im_f32_tap& tap = c.taps[t];
        INLAY_UNROLL for (int v = 0; v < Vectors; ++v) windows[v] =
            window::make(tap.first - i - v * lane_count, tap.end - i - v * lane_count);
        for (std::int64_t b = 0; b < c.base_count; ++b) {
            const float* const p = c.bases[b] + tap.at + i;
            INLAY_UNROLL for (int v = 0; v < Vectors; ++v) sum[v] += window::load(windows[v], p + v * lane_count);
        }
    }
    INLAY_UNROLL for (int v = 0; v < Vectors; ++v) {
        const std::int64_t rest = smaller(lane_count, n - i - v * lane_count);
        if (rest > 0) store_some(y + i + v * lane_count, rest, sum[v]);
    }
}
INLAY_LOCAL void add(const col2im_f32_call& c) noexcept {
    float* y = c.y;
    for (std::int64_t run = 0; run < c.runs; ++run, y += c.y_row) {
        const std::int64_t n = c.n + (run < c.longer);
        std::int64_t i = 0;
        for (; n - i > 2 * lane_count; i += 4 * lane_count) add_some<4>(c, run, i, n, y);
        if (n - i > lane_count)
            add_some<2>(c, run, i, n, y);
        else if (n > i)
            add_some<1>(c, run, i, n, y);
    }
}
}  // namespace INLAY_LEVEL::col2im_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(col2im_f32, add)
