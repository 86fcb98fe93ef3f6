// Hyperbolic functions of float32 and their inverses, element by element. x and y may be the same.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct hyperbolic_f32_table {
    using map = void (*)(const float* x, float* y, std::int64_t n, float, float) noexcept;  // as unary_f32's
    map sinh, cosh, asinh, acosh, atanh;
};
const hyperbolic_f32_table& hyperbolic_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "hyperbolic_f32.cpp"
#endif
