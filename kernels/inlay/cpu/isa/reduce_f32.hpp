// Sums and extremes of float32, along memory and across it.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct reduce_f32_table {
    using form = void (*)(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept;
    struct fold {
        form rows;     // y[i] reduces x[i * row + j] over all j < n
        form columns;  // y[j] reduces x[i * row + j] over all i < rows
    };
    fold sum, magnitudes, squares;  // magnitudes, squares: sums of them
    fold largest, least;            // NaN passes
    void (*divide)(float* y, std::int64_t n, float by) noexcept;
};
const reduce_f32_table& reduce_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "reduce_f32.cpp"
#endif
