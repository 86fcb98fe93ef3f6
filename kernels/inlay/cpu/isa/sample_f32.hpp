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
struct sample_f32_table {
    static constexpr std::int64_t most_pixels = 1 << 24;  // of an image of x: positions are counted in floats
    using sample = void (*)(const sample_f32_call&, std::int64_t first, std::int64_t last) noexcept;  // of all places
    sample images;
};
const sample_f32_table& sample_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "sample_f32.cpp"
#endif
