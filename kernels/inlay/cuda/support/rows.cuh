// Common to the kernels over rows: a team's traversal of a row, and totals that are one number.
#pragma once
#include "launch.cuh"

namespace inlay {
inline namespace v1 {
// f(first element, its W lanes) for the team's share of a row of n elements, W of which divide n.
template <int W, class T, class F> INLAY_ON_DEVICE void over_row(const T* x, std::int64_t n, team t, F f) {
    for (std::int64_t i = std::int64_t(t.rank) * W; i < n; i += std::int64_t(t.size) * W) f(i, load_lanes<W>(x + i));
}
// Starts Body<W>, created by `make(lanes of W)`, with full lanes where rows and addresses allow.
template <int W, class Make>
status launch_rows_of(context& c, std::int64_t rows, std::int64_t length, bool aligned, Make make) noexcept {
    if (aligned && length % W == 0) return launch_rows(c, rows, length, make(std::integral_constant<int, W>{}));
    return launch_rows(c, rows, length, make(std::integral_constant<int, 1>{}));
}
}  // namespace v1
}  // namespace inlay
