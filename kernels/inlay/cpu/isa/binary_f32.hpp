// Element-wise functions of two float32 over rows of operands that advance or repeat.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct binary_f32_table {
    // `rows` rows of n, a_row, b_row and y_row elements apart; y may be a or b.
    using form = void (*)(const float* a, std::int64_t a_row, const float* b, std::int64_t b_row, float* y,
                          std::int64_t y_row, std::int64_t rows, std::int64_t n) noexcept;
    struct forms {  // scalar: one element for a whole row
        form vector_vector, vector_scalar, scalar_vector;
    };
    forms add, sub, mul, div, max, min, prelu;  // prelu: a, but a b where a < 0
};
const binary_f32_table& binary_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "binary_f32.cpp"
#endif
