// Requantizes accumulators to 8 bits.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct requantize_table {
    // Rows of n accumulators: accumulator * by[j], or accumulator * by[0] where one factor serves all columns, rounded
    // to nearest even, + zero, saturated.
    using function = void (*)(const std::int32_t* sums, std::int64_t rows, std::int64_t n, const float* by,
                              bool per_column, int zero, std::uint8_t* y) noexcept;
    function u8, i8;
};
const requantize_table& requantize(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "requantize.cpp"
#endif
