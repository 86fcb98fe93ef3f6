#include "map_f32.hpp"
#include "unary_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::unary_f32 {
INLAY_INLINE lanes within(lanes x, lanes low, lanes high) {
    return xsimd::min(high, xsimd::max(low, x));
}  // this order: the second operand is kept if NaN
struct clip {
    INLAY_STATIC lanes of(lanes x, lanes a, lanes b) { return within(x, a, b); }
};
struct relu {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return xsimd::max(lanes(0.f), x); }
};
struct sigmoid {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return logistic_of(x); }
};
struct tanh {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return tanh_of(x); }
};
struct erf {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return erf_of(x); }
};
struct sqrt {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return xsimd::sqrt(x); }
};
struct hard_sigmoid {
    INLAY_STATIC lanes of(lanes x, lanes a, lanes b) { return within(fma(x, a, b), lanes(0.f), lanes(1.f)); }
};
struct hard_swish {
    INLAY_STATIC lanes of(lanes x, lanes a, lanes b) { return x * within(fma(x, a, b), lanes(0.f), lanes(1.f)); }
};
struct exp {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return exp_of(x); }
};
struct log {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return log_of(x); }
};
struct neg {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return x ^ lanes(-0.f); }
};
struct abs {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return magnitude_of(x); }
};
struct reciprocal {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return lanes(1.f) / x; }
};
struct softplus {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        return xsimd::max(lanes(0.f), x) + log1p_of_unit(exp_of_nonpositive(x | lanes(-0.f)));
    }
};
struct sign {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        return xsimd::select(magnitude_of(x) > lanes(0.f), lanes(1.f) | sign_of(x), x + lanes(0.f));
    }
};
// Where there is no instruction, xsimd loses the sign of a zero.
struct floor {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return xsimd::floor(x) | sign_of(x); }
};
struct ceil {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return xsimd::ceil(x) | sign_of(x); }
};
struct round {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return xsimd::nearbyint(x) | sign_of(x); }
};
struct leaky_relu {
    INLAY_STATIC lanes of(lanes x, lanes a, lanes) { return xsimd::select(x < lanes(0.f), a * x, x); }
};
struct elu {
    INLAY_STATIC lanes of(lanes x, lanes a, lanes b) {
        const lanes below =
            xsimd::max(lanes(-87.f), xsimd::min(lanes(0.f), x));  // this order: the second operand is kept if NaN
        return b * xsimd::select(x < lanes(0.f), a * expm1_of(below), x);
    }
};
struct gelu {  // of -0 too
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return gelu_of(x) | sign_of(x); }
};
struct gelu_tanh {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return gelu_tanh_of(x); }
};
struct mish {  // tanh(log(1 + e^x)) = u / (u + 2) with u = e^x (e^x + 2); where x > 0, both times e^-2x
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes e = exp_of_nonpositive(x | lanes(-0.f)), unit(1.f), two(2.f);
        const auto below = x < lanes(0.f);
        const lanes u = xsimd::select(below, e * (e + two), fma(two, e, unit)),
                    rest = xsimd::select(below, two, two * e * e);
        return x * (u / (u + rest));
    }
};
struct softsign {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return x / (lanes(1.f) + magnitude_of(x)); }
};
struct swish {
    INLAY_STATIC lanes of(lanes x, lanes a, lanes) { return x * logistic_of(a * x); }
};
struct square {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return x * x; }
};
struct cube {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) { return x * x * x; }
};
struct power_of_half {
    INLAY_STATIC lanes of(lanes x, lanes, lanes) {
        const lanes infinity(__builtin_inff());
        return xsimd::select(x == -infinity, infinity, xsimd::sqrt(x + lanes(0.f)));
    }
};
}  // namespace INLAY_LEVEL::unary_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(unary_f32, map<clip>, map<relu>, map<sigmoid>, map<tanh>, map<erf>, map<sqrt>, map<hard_sigmoid>,
            map<hard_swish>, map<exp>, map<log>, map<neg>, map<abs>, map<reciprocal>, map<softplus>, map<sign>,
            map<floor>, map<ceil>, map<round>, map<leaky_relu>, map<elu>, map<gelu>, map<gelu_tanh>, map<mish>,
            map<softsign>, map<swish>, map<square>, map<cube>, map<power_of_half>)
