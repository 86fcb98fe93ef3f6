// Peak-rate loops. Twelve chains hide the latency of two multiply-adds per cycle on the processors that have them, and
// fit the sixteen registers of SSE2.
#include "lanes.hpp"
#include "peak_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::peak_f32 {
constexpr int chains = 12;
INLAY_INLINE float total(const lanes (&s)[chains]) {
    lanes sum(0.f);
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) sum += s[i];
    return xsimd::hadd(sum);
}
INLAY_LOCAL float multiply_add(std::int64_t rounds, float x) noexcept {
    const lanes a(0.5f), b(x);
    lanes s[chains];
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) s[i] = lanes(x + static_cast<float>(i));
    for (; rounds > 0; --rounds) _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) s[i] = fma(s[i], a, b);
    return total(s);
}
INLAY_LOCAL float read(const float* x, std::int64_t n) noexcept {
    lanes s[chains];
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) s[i] = lanes(0.f);
    std::int64_t at = 0;
    for (; at + chains * lane_count <= n; at += chains * lane_count)
        _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) s[i] +=
            lanes::load_unaligned(x + at + i * lane_count);
    for (; at < n; at += lane_count)
        s[0] += at + lane_count <= n ? lanes::load_unaligned(x + at) : load_tail(x + at, n - at);
    return total(s);
}
}  // namespace INLAY_LEVEL::peak_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(peak_f32, 2 * chains * lane_count, multiply_add, read)
