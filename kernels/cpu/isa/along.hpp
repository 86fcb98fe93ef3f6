// Loops over a row: whole vectors first, then the rest of it through the same code.
#pragma once
#include "lanes.hpp"
#define INLAY_INLINED __attribute__((always_inline))  // of a lambda, after its parameters: then the code for whole vectors has no trace of tails

namespace inlay::inline v1::INLAY_LEVEL {
// The first n <= lane_count floats of p; the rest are `fill`. And the way back.
INLAY_INLINE lanes load_some(const float* p, std::int64_t n, float fill = 0.f) { return n == lane_count ? lanes::load_unaligned(p) : load_tail(p, n, fill); }
INLAY_INLINE void store_some(float* p, std::int64_t n, lanes x) { if (n == lane_count) x.store_unaligned(p); else store_tail(p, n, x); }
// f(i, n): elements [i, i + n). An INLAY_INLINED lambda.
template <class F> INLAY_INLINE void along(std::int64_t count, F f) {
    std::int64_t i = 0;
    for (; i + lane_count <= count; i += lane_count) f(i, lane_count);
    if (i < count) f(i, count - i);
}
}  // namespace inlay::inline v1::INLAY_LEVEL
