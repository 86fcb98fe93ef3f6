// e^x, log, tanh, erf, the logistic function: at most 4 ulp off over all float32, subnormals included; exact at 0,
// infinities and NaN. All but log come from e^(n ln 2 + r) = 2^n (1 + expm1(r)) with |r| <= ln 2 / 2. The coefficients
// are our own minimax fits.
#pragma once
#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
struct reduced {  // the low bits of `bits` are those of the integer n
    lanes n, expm1;
    int_lanes bits;
};
INLAY_INLINE reduced reduce_exponent(lanes x) {
    const lanes shifted = fma(x, lanes(1.44269504f), lanes(12582912.f)),
                n = shifted - lanes(12582912.f);  // 1.5 * 2^23: rounds to the nearest integer
    const lanes r = fma(n, lanes(2.12194440e-4f),
                        fma(n, lanes(-0.693359375f), x));  // ln 2 in two parts: n times the first is exact
    lanes q = fma(r, lanes(0.00138706574f), lanes(0.00836626161f));
    q = fma(q, r, lanes(0.0416674353f));
    q = fma(q, r, lanes(0.166665465f));
    q = fma(q, r, lanes(0.49999997f));
    return {n, fma(r * r, q, r), xsimd::bitwise_cast<int_lanes>(shifted)};
}
INLAY_INLINE float largest_of(lanes x) {  // no NaN in it
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps(x);
#elif defined(__aarch64__)
    return vmaxvq_f32(x);
#else
#if defined(__AVX2__)
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
#else
    __m128 four = x;
#endif
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_shuffle_ps(four, four, 1)));
#endif
}
// Subnormal results included. Rounding to one of these, or from smaller values to 0, costs processors hundreds of
// cycles. Where masks produce many zeros, as in Softmax, `Vanishes` avoids that, for a comparison of each.
template <bool Vanishes = false> INLAY_INLINE lanes exp_of_nonpositive(lanes x) {
    const lanes least(-104.f);
    const reduced e = reduce_exponent(xsimd::max(least, x));  // this order: the second operand is kept if NaN
    const lanes p = e.expm1 + lanes(1.f);
#ifdef __AVX512F__
    if constexpr (Vanishes) return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, least, _CMP_NLT_UQ), p, e.n);
    return _mm512_scalef_ps(p, e.n);
#else
    const lanes factor = Vanishes ? xsimd::select(x < least, lanes(0.f), p) : p;
    return factor * xsimd::bitwise_cast<lanes>((e.bits << 23) + int_lanes((127 + 64) << 23)) *
           lanes(0x1p-64f);                                             // 2^n may be out of range; 2^(n + 64) is not
#endif
}
INLAY_INLINE lanes exp_of(lanes x) {
    const reduced e = reduce_exponent(
        xsimd::min(lanes(89.f), xsimd::max(lanes(-104.f), x)));  // this order: the second operand is kept if NaN
    const lanes p = e.expm1 + lanes(1.f);
#ifdef __AVX512F__
    return _mm512_scalef_ps(p, e.n);
#else
    const int_lanes n = e.bits - int_lanes(0x4b400000), half = n >> 1;  // 2^n may be out of range; its factors are not
    return p * xsimd::bitwise_cast<lanes>((half + int_lanes(127)) << 23) *
           xsimd::bitwise_cast<lanes>((n - half + int_lanes(127)) << 23);
#endif
}
INLAY_INLINE lanes log_of(lanes x) {  // of 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2): n ln 2 + f + f^2 g(f)
    const lanes unit(1.f), least(0x1p-126f), infinity(__builtin_inff());
    const auto subnormal = x < least;
    const int_lanes bits = xsimd::bitwise_cast<int_lanes>(xsimd::select(subnormal, x * lanes(0x1p23f), x)) -
                           int_lanes(0x3f3504f3);  // sqrt(1/2)
    const lanes n = xsimd::to_float(bits >> 23) - xsimd::select(subnormal, lanes(23.f), lanes(0.f));
    const lanes f = xsimd::bitwise_cast<lanes>((bits & int_lanes(0x7fffff)) + int_lanes(0x3f3504f3)) - unit;
    lanes g = fma(f, lanes(-0.0762211382f), lanes(0.129046977f));
    g = fma(g, f, lanes(-0.132429779f));
    g = fma(g, f, lanes(0.141817778f));
    g = fma(g, f, lanes(-0.166090772f));
    g = fma(g, f, lanes(0.200019762f));
    g = fma(g, f, lanes(-0.250015825f));
    g = fma(g, f, lanes(0.333333254f));
    g = fma(g, f, lanes(-0.499999881f));
    const lanes y =
        fma(n, lanes(0.693359375f),
            fma(f * f, g, fma(n, lanes(-2.12194440e-4f), f)));  // ln 2 in two parts: n times the first is exact
    const lanes special =
        xsimd::select(x == lanes(0.f), -infinity, xsimd::select(x == infinity, x, lanes(__builtin_nanf(""))));
    return xsimd::select(x > lanes(0.f) && x < infinity, y, special);
}
INLAY_INLINE lanes log1p_of_unit(lanes x) {  // 0 <= x <= 1: restores in proportion what 1 + x rounds away
    const lanes u = x + lanes(1.f), rounded = u - lanes(1.f);
    return xsimd::select(rounded == lanes(0.f), x, log_of(u) * x / rounded);
}
INLAY_INLINE lanes expm1_of(lanes x) {  // -87 <= x <= 87
    const reduced e = reduce_exponent(x);
    const lanes scale = xsimd::bitwise_cast<lanes>((e.bits << 23) + int_lanes(127 << 23));
    return fma(scale, e.expm1, scale - lanes(1.f));
}
INLAY_INLINE lanes sign_of(lanes x) { return x & lanes(-0.f); }
INLAY_INLINE lanes magnitude_of(lanes x) { return x & xsimd::bitwise_cast<lanes>(int_lanes(0x7fffffff)); }

INLAY_INLINE lanes logistic_of(lanes x) {  // from e^-|x|, which never overflows
    const lanes e = exp_of_nonpositive(x | lanes(-0.f)), unit(1.f);
    return xsimd::select(x < lanes(0.f), e, unit) / (unit + e);
}
INLAY_INLINE lanes tanh_of(lanes x) {  // 1 in float32 from 9.02 on
    const lanes a = magnitude_of(x), m = expm1_of(xsimd::min(lanes(20.f), a + a));
    return (m / (m + lanes(2.f))) | sign_of(x);
}
INLAY_INLINE lanes erf_of(lanes x) {  // 1 - e^(-a g(a)), g a polynomial; 1 in float32 from 3.84 on
    const lanes a = xsimd::min(lanes(4.f), magnitude_of(x));
    lanes g = fma(a, lanes(-6.24480163e-06f), lanes(9.14757402e-05f));
    g = fma(g, a, lanes(-0.000544539886f));
    g = fma(g, a, lanes(0.0015190643f));
    g = fma(g, a, lanes(-3.01179007e-05f));
    g = fma(g, a, lanes(-0.0192114487f));
    g = fma(g, a, lanes(0.102789506f));
    g = fma(g, a, lanes(0.636618674f));
    g = fma(g, a, lanes(-5.86353828e-08f));  // with the next, 2 / sqrt(pi) in two parts
    const lanes m = expm1_of(-fma(a, lanes(1.12837923f), a * g));
    return (lanes(0.f) - m) | sign_of(x);
}
INLAY_INLINE lanes gelu_of(lanes x) {
    const lanes half = x * lanes(.5f);
    return fma(half, erf_of(x * lanes(0.707106781f)), half);
}
INLAY_INLINE lanes gelu_tanh_of(lanes x) {  // (1 + tanh(u)) / 2 is the logistic function of 2u
    const lanes u = x * fma(x * x, lanes(0.0713548163f), lanes(1.59576912f));
    return x * logistic_of(u);
}
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
