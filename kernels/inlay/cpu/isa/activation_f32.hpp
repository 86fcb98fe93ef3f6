// The epilogue of convolutions and matmuls: applied to a finished tile while it is in the first-level cache.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
enum class activation : std::uint8_t {  // clip stands for none and Relu too, by its bounds
    clip,
    logistic,
    hard_sigmoid,
    hard_swish,
    silu,
    gelu,
    gelu_tanh
};
struct epilogue {
    activation kind = activation::clip;
    float low = -__builtin_inff(), high = __builtin_inff();  // of clip; NaN passes
    float alpha = 0, beta = 0;                               // of hard_sigmoid: max(0, min(1, alpha * x + beta))
};
}  // namespace v1
}  // namespace inlay

#ifdef INLAY_LEVEL
#include "along.hpp"
#include "math_f32.hpp"
namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
INLAY_INLINE lanes clipped(lanes x, lanes low, lanes high) {
    return xsimd::min(high, xsimd::max(low, x));
}  // this order: the second operand is kept if NaN
template <class F> INLAY_INLINE void change(float* y, std::int64_t rows, std::int64_t columns, std::int64_t row, F f) {
    for (std::int64_t i = 0; i < rows; ++i, y += row) {
        std::int64_t j = 0;
        for (; j + lane_count <= columns; j += lane_count) f(lanes::load_unaligned(y + j)).store_unaligned(y + j);
        if (j < columns) store_tail(y + j, columns - j, f(load_tail(y + j, columns - j)));
    }
}
// f(g), where g(x) is the activation of a vector.
template <class F> INLAY_INLINE void with_activation(const epilogue& e, F f) {
    const lanes zero(0.f), unit(1.f), alpha(e.alpha), beta(e.beta), low(e.low), high(e.high);
    switch (e.kind) {
        case activation::clip: return f([=](lanes x) INLAY_INLINED { return clipped(x, low, high); });
        case activation::logistic: return f([](lanes x) INLAY_INLINED { return logistic_of(x); });
        case activation::hard_sigmoid:
            return f([=](lanes x) INLAY_INLINED { return clipped(fma(alpha, x, beta), zero, unit); });
        case activation::hard_swish:
            return f([=](lanes x)
                         INLAY_INLINED { return x * clipped(fma(x, lanes(1 / 6.f), lanes(.5f)), zero, unit); });
        case activation::silu: return f([](lanes x) INLAY_INLINED { return x * logistic_of(x); });
        case activation::gelu: return f([](lanes x) INLAY_INLINED { return gelu_of(x); });
        case activation::gelu_tanh: return f([](lanes x) INLAY_INLINED { return gelu_tanh_of(x); });
    }
}
[[maybe_unused]] INLAY_LOCAL void activate(const epilogue& e, float* y, std::int64_t rows, std::int64_t columns,
                                           std::int64_t row) noexcept {
    with_activation(e, [&](auto g) { change(y, rows, columns, row, g); });
}
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
#endif
