// Convolution on the CPU as GEMM: rows of pixels, read in place, with weights packed once in the order (kernel row,
// kernel column, channel). Rows that meet padding are copied, a block that fits the cache at a time.
#pragma once
#include "conv_params.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
template <bool Bf16> struct conv_f32_dense {
    static void pack(const conv_f32_params& p, const conv_f32_state& s, const float* from, float* to,
                     const setup& u) noexcept {
        const std::int64_t element = p.frames.kernel * p.taps(),  // from one channel to the next
            panels = gemm_f32_panels(s.level, p.columns());
        u.split(p.group * panels, packing_grain(s.level, p.depth()), [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t g = first / std::max<std::int64_t>(1, panels); g * panels < end; ++g)
                table_of(p, s).pack({from + g * p.columns() * p.filter(), p.columns(), p.filter(),
                                     p.planar() ? p.kernel_w : 1, p.planar() ? 1 : element},
                                    p.depth(), std::max(first - g * panels, std::int64_t(0)),
                                    std::min(end - g * panels, panels), to + g * p.packed(s.level));
        });
    }
    static void run(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                    context& c) noexcept {
        const isa::level l = s.level;
        const gemm_f32_table& table = table_of(p, s);
        const std::int64_t n = p.columns(), panels = gemm_f32_panels(l, n), tile = gemm_f32_rows(l),
                           pixels = p.batch * p.height * p.width, room = p.part_room(l);
        const std::int64_t lines = p.images() * p.out_height, segments = p.segments(l), block = p.block(l),
                           rows = p.flat() ? (pixels + tile - 1) / tile : lines * segments;
        const double work =
            double(lines) * double(p.out_width) * double(p.out_channels) * double(p.frames.kernel * p.depth().total());
        const bool by_columns = p.out_channels * p.taps() > lines * p.out_width;  // the weights are the larger operand
        if (rows * panels == 0) return;
        const work_grid grid = share(c.threads, rows, p.group * panels, work, by_columns);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            float* const scratch = a.scratch + index * room;
            for (std::int64_t g = box.column / panels; g * panels < box.column_end; ++g) {
                const std::int64_t first = std::max(box.column, g * panels) - g * panels,
                                   end = std::min(box.column_end - g * panels, panels);
                if (p.flat()) {
                    gemm_f32_call call{a.x + p.of_x(g * (p.channels / p.group)),
                                       0,
                                       p.x_pixel * (p.x_pairs ? 2 : 1),
                                       pixels,
                                       p.depth(),
                                       0,
                                       0,
                                       {a.weights + g * p.packed(l)},
                                       n,
                                       a.bias ? a.bias + g * n : nullptr,
                                       a.add ? a.add + p.of_add(g * n) : nullptr,
                                       p.add_pixel,
                                       a.y + p.of_y(g * n),
                                       p.y_pixel,
                                       p.post_op};
                    mark_pairs(p, l, call);
                    call.a_pairs = p.x_pairs;
                    call.rounds = call.rounds && !p.x_pairs;
                    multiply_blocks(table, l, call, pixels * box.row / grid.rows, pixels * box.row_end / grid.rows,
                                    first, end, room ? scratch : nullptr, c);
                } else
                    for (std::int64_t row = box.row; row < box.row_end && !c.stopped();) {
                        const std::int64_t image = row / segments / p.out_height, oy = row / segments % p.out_height,
                                           segment = row % segments;
                        const std::int64_t count = std::min({block, p.out_height - oy, box.row_end - row});
                        const region r{oy, count, p.out_width * segment / segments,
                                       p.out_width * (segment + 1) / segments};
                        over_taps(p, a, image, [&](const conv_f32_pass& pass) {
                            multiply(p, s, pass, g, r, first, end, scratch, c);
                        });
                        row += count;
                    }
            }
        };
        if (grid.parts == 1)
            part(0);
        else
            c.for_each(grid.parts, part);
    }

  private:
    static void mark_pairs(const conv_f32_params& p, isa::level l, gemm_f32_call& call) noexcept {
        call.rounds = p.rounds(l);
        call.add_pairs = p.add_pairs;
        call.y_pairs = p.y_pairs;
    }
    static const gemm_f32_table& table_of(const conv_f32_params& p, const conv_f32_state& s) noexcept {
        return Bf16 && p.bf16() ? *s.bf16 : *s.table;
    }
    struct region {  // of an image of the output
        std::int64_t row, rows, column, column_end;
        std::int64_t width() const { return column_end - column; }
    };
    static void multiply(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_pass& pass, std::int64_t g,
                         const region& r, std::int64_t panel, std::int64_t panel_end, float* scratch,
                         const context& c) noexcept {
        const std::int64_t n = p.columns(), line = p.line(r.width()), top = r.row * p.stride_h - p.pad_top,
                           left = r.column * p.stride_w - p.pad_left, lines = (r.rows - 1) * p.step_h() + p.reach_h();
        const std::int64_t channel = g * (p.channels / p.group), at = r.row * p.out_width + r.column,
                           next_row = p.dilation_h * line;
        gemm_f32_call call{scratch,
                           p.step_h() * line,
                           p.step_w() * p.pixel(),
                           p.joined() ? r.rows * r.width() : r.width(),
                           p.depth(),
                           next_row,
                           p.dilation_w * p.pixel(),
                           {pass.weights + g * p.packed(s.level)},
                           n,
                           pass.bias ? pass.bias + g * n : nullptr,
                           pass.add ? pass.add + at * pass.add_pixel + p.of_add(g * n) : nullptr,
                           pass.add_pixel,
                           pass.y + at * p.y_pixel + p.of_y(g * n),
                           p.y_pixel,
                           pass.post_op};
        mark_pairs(p, s.level, call);
        if (p.planar()) call.step_y = p.copies() ? lines * line : p.channel_step(), call.step_x = next_row;
        if (!pass.sees)
            call.depth = {1, 1, 0};
        else if (p.copies()) {
            const auto copy = [](const float* from, std::int64_t count, float* to) {
                std::memcpy(to, from, std::size_t(count) * 4);
            };
            const float* const x = pass.x + p.of_x(channel * p.channel_step());
            if (Bf16 && p.x_pairs)
                copy_lines(p, reinterpret_cast<const std::uint16_t*>(x), top, lines, left, r.width(),
                           reinterpret_cast<std::uint16_t*>(scratch),
                           [](const std::uint16_t* from, std::int64_t count, std::uint16_t* to) {
                               std::memcpy(to, from, std::size_t(count) * 2);
                           });
            else if (!Bf16 || !p.rounds(s.level))
                for (std::int64_t k = 0; k < p.planes(); ++k)
                    copy_lines(p, x + k * p.channel_step(), top, lines, left, r.width(), scratch + k * lines * line,
                               copy);
            else if constexpr (Bf16)
                copy_lines(p, x, top, lines, left, r.width(), reinterpret_cast<std::uint16_t*>(scratch), s.bf16->round);
        } else
            call.a = pass.x + channel * p.channel_step() + top * line + left * p.pixel();
        multiply_part(table_of(p, s), s.level, call, {0, p.joined() ? 1 : r.rows, 0, call.inner, panel, panel_end}, c);
    }
    // What `pixels` of each row see of a group's channels (of one plane, if planar) in the padded image, from row `top`
    // and column `left`, as the GEMM reads it: written by copy(from, n, to).
    template <class From, class T, class Copy>
    static void copy_lines(const conv_f32_params& p, const From* x, std::int64_t top, std::int64_t count,
                           std::int64_t left, std::int64_t pixels, T* to, Copy copy) noexcept {
        const std::int64_t channels = p.planar() ? 1 : p.channels / p.group, pixel = p.pixel(), line = p.line(pixels),
                           step_h = p.stride_h / p.step_h(), step_w = p.stride_w / p.step_w();
        const std::int64_t input_width = p.samples() ? pixels : p.seen_width(pixels),
                           before = std::clamp<std::int64_t>(-left, 0, input_width),
                           from_step = p.pixel_step() * (p.x_pairs ? 2 : 1), from_pixel = from_step * step_w,
                           from_channel = p.channel_step();
        const std::int64_t inside_pixels =
            p.samples() ? input_width : std::clamp<std::int64_t>(p.width - left, before, input_width) - before;
        x += (left + before) * from_step;
        for (std::int64_t i = 0; i < count; ++i, to += line) {
            const std::int64_t row = top + i * step_h;
            if (row < 0 || row >= p.height) {
                std::fill_n(to, line, T(0));
                continue;
            }
            T* const inside = to + before * pixel;
            const From* const from = x + row * p.width * from_step;
            std::fill_n(to, p.bf16() && channels % 2 ? line : before * pixel, T(0));
            std::fill(inside + inside_pixels * pixel, to + line, T(0));
            const bool side_by_side = channels == 1 || from_channel == 1;  // the channels of a pixel
            if (side_by_side && from_pixel == channels && pixel == channels)
                copy(from, inside_pixels * pixel, inside);
            else if (from_channel == 1 && channels > 1)
                for (std::int64_t j = 0; j < inside_pixels; ++j)
                    copy(from + j * from_pixel, channels, inside + j * pixel);
            else if (from_pixel == 1 && pixel == 4) {  // planes of a first layer
                T values[4][64] = {};
                for (std::int64_t j = 0; j < inside_pixels; j += 64) {
                    const std::int64_t n = std::min<std::int64_t>(64, inside_pixels - j);
                    for (std::int64_t k = 0; k < channels; ++k) copy(from + k * from_channel + j, n, values[k]);
                    for (std::int64_t m = 0; m < n; ++m) {  // a pixel at once
                        const T whole[4] = {values[0][m], values[1][m], values[2][m], values[3][m]};
                        if constexpr (sizeof(T) == 2) {
                            const std::uint64_t word = std::uint64_t(whole[0]) | std::uint64_t(whole[1]) << 16 |
                                                       std::uint64_t(whole[2]) << 32 | std::uint64_t(whole[3]) << 48;
                            std::memcpy(inside + (j + m) * 4, &word, sizeof word);
                        } else
                            std::copy_n(whole, 4, inside + (j + m) * 4);
                    }
                }
            } else
                for (std::int64_t k = 0; k < channels; ++k)
                    for (std::int64_t j = 0; j < inside_pixels; ++j)
                        copy(from + k * from_channel + j * from_pixel, 1, inside + j * pixel + k);
        }
    }
};
}  // namespace v1
}  // namespace inlay
