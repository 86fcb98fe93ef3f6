// Images sampled at places of a grid: the nearest pixel, or the bilinear mean of four.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct sample_f32_call {
    const float* x;
    const float* grid;   // numbers from -1 to 1, of each place two: column, row
    const float* zeros;  // as many as there are channels, where those are last
    float* y;
    std::int64_t height, width, channels, places;                          // places: of one image of y
    std::int64_t out_width, grid_image, grid_row, grid_column, grid_pair;  // the last four: from one to the next
    int padding;                                                           // 0: zeros; 1: border; 2: reflection
    bool nearest, corners, channels_last;
};
// Places of an image of x and what they weigh: of some outputs, and of each of them some points with four pixels.
struct sample_f32_points {
    static constexpr std::int64_t outputs = 64, most = 16;  // points
    alignas(64) std::int32_t pixel[most][4][outputs];       // -1: none
    alignas(64) float weight[most][4][outputs];
};
struct sample_f32_region {
    const float* x;                         // an image
    const float* zeros;                     // as many as there are channels, where those are last
    float* y;                               // its first output
    std::int64_t pixels, channels, places;  // of an image of x; channels; of an image of y
    std::int64_t outputs, points;
    bool channels_last, maximum, more;  // the largest weighted pixel instead of the sum; more: than what y has already
};
// y[i] = bias + sum over k of w[i, k] columns[k], of vectors of outputs, sample_f32_points::outputs apart in `columns`.
struct sample_f32_product {
    const float *w, *columns, *bias;  // bias may be null
    float* y;
    std::int64_t rows, inner, outputs, y_row;
};
struct sample_f32_table {
    static constexpr std::int64_t most_pixels = 1 << 24;  // of an image of x: positions are exact in float32
    using sample = void (*)(const sample_f32_call&, std::int64_t first, std::int64_t end) noexcept;  // of all places
    sample images;
    void (*region)(const sample_f32_region&, const sample_f32_points&) noexcept;
    void (*product)(const sample_f32_product&) noexcept;
};
const sample_f32_table& sample_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "sample_f32.cpp"
#endif
