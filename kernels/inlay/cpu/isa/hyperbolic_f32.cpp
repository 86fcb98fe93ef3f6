#include "hyperbolic_f32.hpp"
#include "map_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::hyperbolic_f32 {
constexpr float ln2 = 0.693147181f;
INLAY_INLINE lanes half_exp(const reduced& e) {  // e^x / 2, which may be finite where e^x overflows
    const lanes p = e.expm1 + lanes(1.f);
#ifdef __AVX512F__
    return _mm512_scalef_ps(p, e.n - lanes(1.f));
#else
    const int_lanes n = e.bits - int_lanes(0x4b400001), half = n >> 1;
    return p * xsimd::bitwise_cast<lanes>((half + int_lanes(127)) << 23) *
           xsimd::bitwise_cast<lanes>((n - half + int_lanes(127)) << 23);
#endif
}
INLAY_INLINE lanes log1p_of(lanes x) {  // x >= 0: restores in proportion what 1 + x rounds away
    const lanes unit(1.f), u = x + unit, increment = u - unit;
    const lanes y = log_of(u) * xsimd::select(increment == x, unit, x / increment);
    return xsimd::select(increment == lanes(0.f), x, y);
}
struct sinh {  // (m + m / (m + 1)) / 2 with m = e^x - 1
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes a = magnitude_of(x), unit(1.f);
        const reduced e = reduce_exponent(xsimd::min(lanes(90.f), a));  // this order: the second operand is kept if NaN
        const lanes scale = xsimd::bitwise_cast<lanes>((e.bits << 23) + int_lanes(127 << 23)),
                    m = fma(scale, e.expm1, scale - unit);
        return xsimd::select(a > lanes(10.f), half_exp(e), lanes(0.5f) * (m + m / (m + unit))) | sign_of(x);
    }
};
struct cosh {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes half = half_exp(reduce_exponent(xsimd::min(lanes(90.f), magnitude_of(x))));
        return half + lanes(0.25f) / half;
    }
};
struct asinh {  // log(a + sqrt(a^2 + 1))
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes a = magnitude_of(x), unit(1.f), s = a * a;
        const lanes near = log1p_of(a + s / (unit + xsimd::sqrt(s + unit)));
        return xsimd::select(a > lanes(4096.f), log_of(a) + lanes(ln2), near) | sign_of(x);
    }
};
struct acosh {  // log(x + sqrt(x^2 - 1))
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes t = x - lanes(1.f), near = log1p_of(t + xsimd::sqrt(t * (t + lanes(2.f))));
        return xsimd::select(x < lanes(1.f), lanes(__builtin_nanf("")),
                             xsimd::select(x > lanes(4096.f), log_of(x) + lanes(ln2), near));
    }
};
struct atanh {  // log((1 + a) / (1 - a)) / 2
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes a = magnitude_of(x);
        return (lanes(0.5f) * log1p_of((a + a) / (lanes(1.f) - a))) | sign_of(x);
    }
};
}  // namespace INLAY_LEVEL::hyperbolic_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(hyperbolic_f32, map<sinh>, map<cosh>, map<asinh>, map<acosh>, map<atanh>)
