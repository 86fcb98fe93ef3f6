// Addition and multiplication of 8-bit quantized values less their
// zero points, element by element, requantized: (a * by_a + b * by_b),
// or a * b * by_both, rounded to nearest even, + zero, saturated. y
// may lie where a or b does. repeats: b is one value for all elements.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct qlinear_binary_table {
    struct scalings {
        int a_zero, b_zero, y_zero;
        float by_a, by_b, by_both;
    };
    using function = void (*)(const std::uint8_t* a, const std::uint8_t* b, bool repeats, std::uint8_t* y,
                              std::int64_t n, const scalings&) noexcept;
    struct functions {
        function u8, i8;
    };
    functions add, mul;
};
const qlinear_binary_table& qlinear_binary(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "qlinear_binary.cpp"
#endif
