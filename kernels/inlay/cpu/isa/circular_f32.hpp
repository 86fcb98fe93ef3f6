// Sine, cosine and tangent of float32, element by element. x and y may be the same.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct circular_f32_table {
    using map = void (*)(const float* x, float* y, std::int64_t n, float, float) noexcept;  // as unary_f32's
    map sin, cos, tan;
};
const circular_f32_table& circular_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "circular_f32.cpp"
#endif
