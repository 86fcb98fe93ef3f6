// Arguments of a pool: channels are last, its windows move over up to three axes, frames of rows of
// columns. Included by ISA translation units.
#pragma once
#include <inlay/support/window_axis.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct pool_call {
    const T* x;
    T* y;
    window_axis frames, rows, columns;
    std::int64_t channels, x_pixel, y_pixel;  // the last two: elements from one pixel to the next
    bool include_padding;                     // in what a mean is divided by
};
}  // namespace v1
}  // namespace inlay
