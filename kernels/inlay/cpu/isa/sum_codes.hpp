// Sums of products in int32, and the codes of 8 bits that they become.
#pragma once
#include "code_lanes.hpp"
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::sum_codes {
// By the formula of gemm_codes. Bounds and zero are integers, so that rounding may come last. max() gives its second
// operand where the first is NaN.
struct scaling {
    lanes low, high;
    int_lanes zero;
    [[gnu::always_inline]] explicit scaling(const gemm_codes& c)
        : low(float(c.low - c.zero)), high(float(c.high - c.zero)), zero(c.zero) {}
    // n <= lane_count sums, whose codes go to y.
    [[gnu::always_inline]] void store(std::uint8_t* y, std::int64_t n, int_lanes sums, lanes scale) const {
        const lanes steps = xsimd::min(xsimd::max(xsimd::to_float(sums) * scale, low), high);
        code_lanes::store_codes(y, n, (xsimd::nearbyint_as_int(steps) + zero) & int_lanes(255));  // of either sign
    }
};
}  // namespace INLAY_LEVEL::sum_codes
}  // namespace v1
}  // namespace inlay
