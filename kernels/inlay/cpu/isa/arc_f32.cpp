// asin x = x + x^3 p(x^2) up to 1/2, and above pi/2 - 2 asin sqrt((1 - x) / 2). atan x = b + z + z^3 q(z^2) with b 0,
// pi/4 or pi/2 and |z| <= tan(pi/8). The coefficients are our own minimax fits.
#include "arc_f32.hpp"
#include "map_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::arc_f32 {
constexpr float half_pi = 1.57079637f, half_pi_rest = -4.37113883e-8f;
struct arc {  // asin of |x| or, where it is `above`, of sqrt((1 - |x|) / 2); NaN where |x| > 1
    lanes y;
    lanes::batch_bool_type above;
};
INLAY_INLINE arc arc_of(lanes x) {
    const lanes a = magnitude_of(x);
    const auto above = a > lanes(0.5f);
    const lanes s = xsimd::select(above, (lanes(1.f) - a) * lanes(0.5f), a * a),
                root = xsimd::select(above, xsimd::sqrt(s), a);
    lanes p = fma(s, lanes(0.0421651192f), lanes(0.0241814982f));
    p = fma(p, s, lanes(0.0454696417f));
    p = fma(p, s, lanes(0.0749530718f));
    p = fma(p, s, lanes(0.166667521f));
    return {fma(root * s, p, root), above};
}
struct asin {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const arc a = arc_of(x);
        return xsimd::select(a.above, lanes(half_pi) - (a.y + a.y - lanes(half_pi_rest)), a.y) | sign_of(x);
    }
};
struct acos {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const arc a = arc_of(x);
        const lanes twice = a.y + a.y, around = lanes(2 * half_pi) - (twice - lanes(2 * half_pi_rest));
        return xsimd::select(a.above, xsimd::select(x < lanes(0.f), around, twice),
                             lanes(half_pi) - ((a.y ^ sign_of(x)) - lanes(half_pi_rest)));
    }
};
struct atan {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes a = magnitude_of(x), unit(1.f), zero(0.f);
        const auto high = a > lanes(2.41421356f), middle = a > lanes(0.414213562f);  // tan of 3/8 and 1/8 pi
        const lanes z = xsimd::select(high, lanes(-1.f), xsimd::select(middle, a - unit, a)) /
                        xsimd::select(high, a, xsimd::select(middle, a + unit, unit)),
                    base = xsimd::select(high, lanes(half_pi), xsimd::select(middle, lanes(half_pi / 2), zero)),
                    s = z * z;
        lanes q = fma(s, lanes(-0.0609080121f), lanes(0.105994634f));
        q = fma(q, s, lanes(-0.142444283f));
        q = fma(q, s, lanes(0.199985296f));
        q = fma(q, s, lanes(-0.333333164f));
        return (base + fma(z * s, q, z)) | sign_of(x);
    }
};
}  // namespace INLAY_LEVEL::arc_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(arc_f32, map<asin>, map<acos>, map<atan>)
