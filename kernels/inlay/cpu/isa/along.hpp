// Loops over a row: whole vectors first, then the tail through the same code.
#pragma once
#include "lanes.hpp"
#define INLAY_INLINED \
    __attribute__(( \
        always_inline))  // of a lambda, after its parameters: then the code for whole vectors has no trace of tails

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
// Loads the first n <= lane_count float32 of p; the rest are `fill`. And the store.
INLAY_INLINE lanes load_some(const float* p, std::int64_t n, float fill = 0.f) {
    return n == lane_count ? lanes::load_unaligned(p) : load_tail(p, n, fill);
}
INLAY_INLINE void store_some(float* p, std::int64_t n, lanes x) {
    if (n == lane_count)
        x.store_unaligned(p);
    else
        store_tail(p, n, x);
}
// f(i, n): elements [i, i + n). An INLAY_INLINED lambda.
template <class F> INLAY_INLINE void along(std::int64_t count, F f) {
    std::int64_t i = 0;
    for (; i + lane_count <= count; i += lane_count) f(i, lane_count);
    if (i < count) f(i, count - i);
}
// A function of the C library, lane by lane: where xsimd's own would add symbols that all levels share.
template <class F> INLAY_INLINE lanes each_lane(lanes x, F f) {
    alignas(64) float values[lane_count];
    x.store_aligned(values);
    for (std::int64_t i = 0; i < lane_count; ++i) values[i] = f(values[i]);
    return lanes::load_aligned(values);
}
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
