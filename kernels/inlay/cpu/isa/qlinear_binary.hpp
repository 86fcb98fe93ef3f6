// Sums and products of 8-bit codes, element by element, as codes. y may lie where a or b does.
#pragma once
#include "code_scaling.hpp"
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct qlinear_binary_table {
    struct scalings {
        code_scaling a, b, y;
    };
    using function = void (*)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* y, std::int64_t n,
                              const scalings&) noexcept;
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
