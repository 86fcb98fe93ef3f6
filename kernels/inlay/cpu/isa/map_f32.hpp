// The loop of element-wise functions of one float32. Every element takes the same path through the vector code wherever
// it stands, so that results do not depend on how threads split them.
#pragma once
#include "math_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
// y = F::of(x, a, b); x and y may be the same.
template <class F> INLAY_LOCAL void map(const float* x, float* y, std::int64_t n, float a, float b) noexcept {
    const lanes p(a), q(b);
    if (n < lane_count) {
        if (n > 0) store_tail(y, n, F::of(load_tail(x, n), p, q));
        return;
    }
    const lanes tail =
        F::of(lanes::load_unaligned(x + n - lane_count), p, q);  // overlaps: so before y, which may be x, changes
    for (std::int64_t i = 0; i + lane_count < n; i += lane_count)
        F::of(lanes::load_unaligned(x + i), p, q).store_unaligned(y + i);
    tail.store_unaligned(y + n - lane_count);
}
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
