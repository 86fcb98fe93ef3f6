// x is n quarters of the circle and r, |r| <= pi/4. Pi/2 has four parts, the first three of 11 bits: their products
// with n < 2^13 and what they leave of x are exact, with fused instructions or without. Larger x are the C library's.
// The coefficients are our own minimax fits.
#include "along.hpp"
#include "circular_f32.hpp"
#include "map_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::circular_f32 {
struct angle {
    lanes sin, cos;  // of r
    int_lanes n;     // its low bits
};
INLAY_INLINE angle reduce(lanes x) {
    const lanes shifted = fma(x, lanes(0.636619772f), lanes(12582912.f)),
                n = shifted - lanes(12582912.f);  // 1.5 * 2^23: rounds to the nearest integer
    lanes r = fma(n, lanes(-0x1.92p+0f), x);
    r = fma(n, lanes(-0x1.fb4p-12f), r);
    r = fma(n, lanes(-0x1.444p-24f), r);
    r = fma(n, lanes(-0x1.68c234p-39f), r);
    const lanes s = r * r;
    lanes p = fma(s, lanes(-0.000195182642f), lanes(0.00833218917f));
    p = fma(p, s, lanes(-0.166666552f));
    lanes q = fma(s, lanes(2.44325529e-05f), lanes(-0.00138873106f));
    q = fma(q, s, lanes(0.0416666456f));
    return {fma(r * s, p, r) | sign_of(r), fma(s * s, q, fma(s, lanes(-0.5f), lanes(1.f))),
            xsimd::bitwise_cast<int_lanes>(shifted)};
}
INLAY_INLINE auto is_odd(int_lanes n) { return xsimd::to_float(n & int_lanes(1)) > lanes(0.5f); }
INLAY_INLINE lanes half_turn(lanes y, int_lanes n) {  // the sign that y has after n quarters
    return y ^ xsimd::bitwise_cast<lanes>((n & int_lanes(2)) << 30);
}
template <class F> INLAY_INLINE lanes near_or(lanes x, lanes y, F far_away) {
    const auto is_far = magnitude_of(x) > lanes(12000.f);
    return xsimd::any(is_far) ? xsimd::select(is_far, each_lane(x, far_away), y) : y;
}
struct sin {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const angle a = reduce(x);
        const lanes y = half_turn(xsimd::select(is_odd(a.n), a.cos, a.sin), a.n);
        return near_or(x, y, [](float v) INLAY_INLINED { return __builtin_sinf(v); });
    }
};
struct cos {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const angle a = reduce(x);
        const lanes y = half_turn(xsimd::select(is_odd(a.n), a.sin, a.cos), a.n + int_lanes(1));
        return near_or(x, y, [](float v) INLAY_INLINED { return __builtin_cosf(v); });
    }
};
struct tan {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const angle a = reduce(x);
        const auto odd = is_odd(a.n);
        const lanes y = xsimd::select(odd, a.cos ^ lanes(-0.f), a.sin) / xsimd::select(odd, a.sin, a.cos);
        return near_or(x, y, [](float v) INLAY_INLINED { return __builtin_tanf(v); });
    }
};
}  // namespace INLAY_LEVEL::circular_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(circular_f32, map<sin>, map<cos>, map<tan>)
