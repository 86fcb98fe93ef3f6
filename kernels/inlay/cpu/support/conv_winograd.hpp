// Convolution on the CPU by Winograd's F(4x4, 3x3) or F(2x2, 3x3), of 3x3 windows that step by one, between enough
// channels: within 2e-5 of the largest output. A NaN or infinity in the input makes the whole tiles of 4x4 or 2x2
// outputs that see it NaN, not only the pixels that do.
#pragma once
#include "conv_params.hpp"

namespace inlay {
inline namespace v1 {
struct conv_f32_winograd {
    static void run(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                    context& c) noexcept {
        const isa::level l = s.level;
        const winograd_f32_form form = p.form();
        const std::int64_t tiles = p.tiles(form.side), tile_count = tiles * (p.deep() ? p.images() : 1),
                           panels = gemm_f32_panels(l, p.out_channels), room = p.part_room(l);
        if (tile_count == 0 || panels == 0) return;
        const double work =
            double(tile_count * form.points()) * double(p.frames.kernel * p.channels) * double(p.out_channels);
        const work_grid grid = share(c.threads, (tile_count + 1) / 2, panels, work, p.out_channels > 2 * tile_count);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            const std::int64_t end = tile_count * box.row_end / grid.rows;
            for (std::int64_t first = tile_count * box.row / grid.rows; first < end && !c.stopped();) {
                const std::int64_t image = first / tiles, tile = first % tiles,
                                   count = std::min(tiles - tile, end - first);
                run_tiles(p, s, a, form, image, tile, tile + count, box.column, box.column_end,
                          a.scratch + index * room, c);
                first += count;
            }
        };
        if (grid.parts == 1)
            part(0);
        else
            c.for_each(grid.parts, part);
    }

  private:
    static void run_tiles(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                          const winograd_f32_form& form, std::int64_t image, std::int64_t first, std::int64_t tiles_end,
                          std::int64_t panel, std::int64_t panel_end, float* scratch, const context& c) noexcept {
        const std::int64_t count = tiles_end - first, blocks = (count + form.tiles - 1) / form.tiles;
        for (std::int64_t b = 0; b < blocks && !c.stopped(); ++b)
            over_taps(p, a, image, [&](const conv_f32_pass& pass) {
                const std::int64_t begin = first + count * b / blocks, end = first + count * (b + 1) / blocks;
                const winograd_f32_call call{form,         pass.x,         p.x_pixel,      pass.sees ? p.height : 0,
                                             p.width,      p.pad_top,      p.pad_left,     p.out_height,
                                             p.out_width,  pass.weights,   p.out_channels, pass.bias,
                                             pass.add,     pass.add_pixel, pass.y,         p.y_pixel,
                                             pass.post_op, scratch};
                if (form.side == 1) return multiply_windows(s, call, begin, end, panel, panel_end, c);
                s.winograd->transform(call, begin, end);
                for (std::int64_t i = panel; i < panel_end && !c.stopped(); ++i)
                    s.winograd->multiply(call, begin, end, i);
            });
    }
    // Few pixels: an ordinary GEMM, over each pixel's window in the order of the packed weights.
    static void multiply_windows(const conv_f32_state& s, const winograd_f32_call& w, std::int64_t first,
                                 std::int64_t end, std::int64_t panel, std::int64_t panel_end,
                                 const context& c) noexcept {
        const std::int64_t area = w.out_height * w.out_width, row = conv_f32_params::window_row(w.form.channels);
        for (std::int64_t i = first; i < end; ++i)
            for (std::int64_t t = 0; t < 9; ++t) {
                const std::int64_t iy = i % area / w.out_width + t / 3 - w.pad_top,
                                   ix = i % w.out_width + t % 3 - w.pad_left;
                const bool inside = iy >= 0 && iy < w.height && ix >= 0 && ix < w.width;
                const float* const from =
                    inside ? w.x + ((i / area * w.height + iy) * w.width + ix) * w.x_pixel : nullptr;
                for (std::int64_t k = 0; k < w.form.channels; ++k)
                    w.room[(i - first) * row + k * 9 + t] = inside ? from[k] : 0.f;
            }
        const std::int64_t slabs = w.form.slabs();
        float* const to = w.y + first * w.y_pixel;
        for (std::int64_t k = 0; k < slabs && !c.stopped(); ++k) {
            const std::int64_t before = k * winograd_f32_slab * 9;
            const float* const added = k > 0 ? to : w.add ? w.add + first * w.add_pixel : nullptr;
            const gemm_f32_call call{w.room + before,
                                     0,
                                     row,
                                     end - first,
                                     w.form.depth(k),
                                     0,
                                     9,
                                     {w.weights + before * gemm_f32_padded(s.level, w.n)},
                                     w.n,
                                     k > 0 ? nullptr : w.bias,
                                     added,
                                     k > 0 ? w.y_pixel : w.add_pixel,
                                     to,
                                     w.y_pixel,
                                     k + 1 < slabs ? epilogue{} : w.post_op};
            multiply_part(*s.table, s.level, call, {0, 1, 0, end - first, panel, panel_end}, c);
        }
    }
};
}  // namespace v1
}  // namespace inlay
