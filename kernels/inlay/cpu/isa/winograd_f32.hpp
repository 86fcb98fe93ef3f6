// Convolution with 3x3 windows, stride 1, by Winograd's F(4x4, 3x3) and F(2x2, 3x3), channels last: tiles of the
// output, each from an overlapping square of the input, with 36 multiplications for 16 outputs (16 for 4) instead of
// 144 (36). The weights are stored untransformed and transformed a panel at a time during the run: that costs as much
// as nine more tiles, but reading four times as many weights from memory would cost more.
#pragma once
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
inline constexpr std::int64_t
    winograd_f32_slab = 64,
    winograd_f32_row =
        80;  // channels at a time, so that transformed windows stay in the cache; float32 elements of their row
struct winograd_f32_form {  // of one part of the work: at most `tiles` tiles at a time
    std::int64_t side;      // of a tile of the output: 2 or 4
    std::int64_t channels, tiles;
    INLAY_SHARED std::int64_t points() const { return (side + 2) * (side + 2); }
    INLAY_SHARED std::int64_t slabs() const { return (channels + winograd_f32_slab - 1) / winograd_f32_slab; }
    INLAY_SHARED gemm_f32_depth depth(std::int64_t slab) const {  // as gemm_f32's pack() packs the weights of each slab
        const std::int64_t rest = channels - slab * winograd_f32_slab;
        return {1, rest < winograd_f32_slab ? rest : winograd_f32_slab, 9};
    }
    // Sizes in float32, padded by a line where they would share cache sets: inputs [slab][point][tile][channel],
    // accumulators [point][tile][column], windows [channel][point][column].
    INLAY_SHARED std::int64_t inputs_step() const { return tiles * winograd_f32_row + 16; }
    INLAY_SHARED std::int64_t sums_step(isa::level l) const { return tiles * gemm_f32_width(l) + 16; }
    INLAY_SHARED std::int64_t window_step(isa::level l) const { return points() * gemm_f32_width(l) + 16; }
    INLAY_SHARED std::int64_t room(isa::level l) const {
        return points() * (slabs() * inputs_step() + sums_step(l)) + winograd_f32_slab * window_step(l);
    }
};
struct winograd_f32_call {
    winograd_f32_form form;
    const float* x;
    std::int64_t x_pixel;  // [batch][height][width][channels], a pixel x_pixel float32 after the previous
    std::int64_t height, width, pad_top, pad_left, out_height, out_width;
    const float* weights;
    std::int64_t n;  // of n columns: [slab][panel][channel][9][column]
    const float *bias, *add;
    std::int64_t add_pixel;  // or null
    float* y;
    std::int64_t y_pixel;  // [batch][out_height][out_width][n], as the addend
    epilogue post_op;
    float* room;  // form.room() float32, aligned to 64 bytes
};
struct winograd_f32_table {  // tiles [tile, tile_end), at most form.tiles; they are counted along a row of tiles, then
                             // rows, then images
    void (*transform)(const winograd_f32_call&, std::int64_t tile,
                      std::int64_t tile_end) noexcept;  // first, for all panels
    void (*multiply)(const winograd_f32_call&, std::int64_t tile, std::int64_t tile_end,
                     std::int64_t panel) noexcept;  // and finishes the panel's columns of y
};
const winograd_f32_table& winograd_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "winograd_f32.cpp"
#endif
