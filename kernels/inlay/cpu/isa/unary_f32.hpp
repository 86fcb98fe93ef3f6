// Element-wise functions of one float32, with up to two parameters from attributes. x and y may be the same.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct unary_f32_table {
    using map = void (*)(const float* x, float* y, std::int64_t n, float a, float b) noexcept;
    map clip;  // min(max(x, a), b), where a and b are no NaN
    map relu, sigmoid, tanh, erf, sqrt;
    map hard_sigmoid, hard_swish;  // a: alpha, b: beta
    map exp, log, neg, abs, reciprocal;
    map softplus, sign, floor, ceil, round;  // round: ties to even
    map leaky_relu, elu;                     // a: alpha; b: gamma of elu, for Selu
    map gelu, gelu_tanh, mish, softsign;
    map swish;                        // a: alpha
    map square, cube, power_of_half;  // x^2, x^3, x^0.5, which is not sqrt at -0 and -infinity
};
const unary_f32_table& unary_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "unary_f32.cpp"
#endif
