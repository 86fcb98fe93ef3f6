// Sums and extremes of floats, along memory and across it.
#pragma once
#include <cstdint>
#include <inlay/isa.hpp>

namespace inlay::inline v1 {
struct reduce_f32_table {
    using form = void (*)(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept;
    struct fold {
        form rows;     // y[i] takes in x[i * row + j] of all j < n
        form columns;  // y[j] takes in x[i * row + j] of all i < rows
    };
    fold sum, magnitudes, squares;  // magnitudes, squares: sums of them
    fold largest, least;            // NaN passes
    void (*divide)(float* y, std::int64_t n, float by) noexcept;
};
const reduce_f32_table& reduce_f32(isa::level) noexcept;
}  // namespace inlay::inline v1
#ifdef INLAY_HEADER_ONLY
#include "reduce_f32.cpp"
#endif
