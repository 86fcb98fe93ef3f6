// Pooling of floats whose channels are last, over up to three axes: frames of rows of columns.
#pragma once
#include <inlay/isa.hpp>
#include <inlay/support/window_axis.hpp>

namespace inlay {
inline namespace v1 {
struct pool_f32_call {
    const float* x;
    float* y;
    window_axis frames, rows, columns;
    std::int64_t channels, x_pixel, y_pixel;  // the last two: floats from one pixel to the next
    bool include_padding;                     // in what a mean is divided by
};
struct pool_f32_table {
    using pool = void (*)(const pool_f32_call&, std::int64_t first,
                          std::int64_t last) noexcept;  // rows of all frames of all outputs
    pool maximum, average;
};
const pool_f32_table& pool_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "pool_f32.cpp"
#endif
