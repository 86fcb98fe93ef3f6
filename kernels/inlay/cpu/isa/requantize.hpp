// Sums of products as 8-bit codes.
#pragma once
#include "code_scaling.hpp"
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct requantize_table {
    // Rows of n sums become codes of sum * by[j], or of sum * by[0] where there is one number for all columns.
    using function = void (*)(const std::int32_t* sums, std::int64_t rows, std::int64_t n, const float* by,
                              bool per_column, code_scaling, std::uint8_t* y) noexcept;
    function u8, i8;
};
const requantize_table& requantize(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "requantize.cpp"
#endif
