// Arc sine, cosine and tangent of float32, element by element. x and y may be the same.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct arc_f32_table {
    using map = void (*)(const float* x, float* y, std::int64_t n, float, float) noexcept;  // as unary_f32's
    map asin, acos, atan;
};
const arc_f32_table& arc_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "arc_f32.cpp"
#endif
