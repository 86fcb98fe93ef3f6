// Lp pooling: norms of windows, with the calls of pool_f32.
#pragma once
#include "pool_f32.hpp"

namespace inlay {
inline namespace v1 {
struct lp_pool_f32_table {
    pool_f32_table::pool magnitudes, squares;  // the sum of them; the root of the sum
};
const lp_pool_f32_table& lp_pool_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "lp_pool_f32.cpp"
#endif
