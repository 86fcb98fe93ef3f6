// Sums of floats, along memory and across it.
#pragma once
#include <cstdint>
#include <inlay/isa.hpp>

namespace inlay::inline v1 {
struct reduce_f32_table {
    void (*sum_rows)(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept;     // y[i] += x[i * row + j] over all j < n
    void (*sum_columns)(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept;  // y[j] += x[i * row + j] over all i < rows
    void (*divide)(float* y, std::int64_t n, float by) noexcept;
};
const reduce_f32_table& reduce_f32(isa::level) noexcept;
}  // namespace inlay::inline v1
#ifdef INLAY_HEADER_ONLY
#include "reduce_f32.cpp"
#endif
