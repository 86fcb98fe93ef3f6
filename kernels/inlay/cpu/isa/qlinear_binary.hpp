// Sums and products of 8-bit codes less their zero points, element by element, as codes: (a * by_a + b * by_b), or a *
// b
// * by_both, rounded to the nearest, ties to even, + zero, saturated. y may lie where a or b does. repeats: b is one
// code for all.
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
