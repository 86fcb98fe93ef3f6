// Depthwise convolution on the CPU.
#pragma once
#include "conv_params.hpp"

namespace inlay {
inline namespace v1 {
struct conv_f32_depthwise {
    static void run(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                    context& c) noexcept {
        const std::int64_t lanes = gemm_f32_lanes(s.level), vectors = std::max<std::int64_t>(1, p.channels / lanes),
                           lines = p.images() * p.out_height;
        const double work = double(lines * p.out_width) * double(p.filter() * p.channels);
        const bool pairs = p.x_pairs || p.y_pairs;  // whose rows are changed as a whole
        const work_grid grid = share(c.threads, lines, pairs ? 1 : vectors, work, false);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            // From the last rows on, which the node before has left in the second-level cache, a band of them at a
            // time; of a band some channels, at least two vectors, so that the rows that a window sees stay in the
            // first level until the next row of windows.
            const std::int64_t band = p.band();
            const std::int64_t column = pairs ? 0 : box.column,
                               vector_count = pairs ? vectors : box.column_end - box.column,
                               fits = p.reach_h() > p.stride_h
                                          ? 6144 / std::max<std::int64_t>(1, p.reach_h() * p.width * lanes)
                                          : 0;
            const std::int64_t chunks = fits < 2 ? 1 : (vector_count + fits - 1) / fits;
            float* const scratch = a.scratch + index * p.part_room(s.level);
            const auto chunk = [&](std::int64_t i) {
                const std::int64_t stop = column + vector_count * (i + 1) / chunks;
                return channels_range{(column + vector_count * i / chunks) * lanes,
                                      stop == vectors ? p.channels : stop * lanes};
            };
            for (std::int64_t end = box.row_end; end > box.row && !c.stopped(); end -= band)
                if (pairs)
                    run_pairs(p, s, a, std::max(box.row, end - band), end, chunks, chunk, scratch);
                else
                    for (std::int64_t i = 0; i < chunks; ++i)
                        run_rows(p, s, a, std::max(box.row, end - band), end, chunk(i), scratch, c);
        };
        if (grid.parts == 1)
            part(0);
        else
            c.for_each(grid.parts, part);
    }

  private:
    struct channels_range {
        std::int64_t first, end;
    };
    // Rows of values that are kept as bf16, at most a band of them: as float32, in scratch.
    template <class Chunk>
    static void run_pairs(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                          std::int64_t row, std::int64_t row_end, std::int64_t chunks, Chunk chunk,
                          float* scratch) noexcept {
        const std::int64_t line = p.width * p.channels, out_line = p.out_width * p.channels;
        while (row < row_end) {
            const std::int64_t image = row / p.out_height, oy = row % p.out_height,
                               count = std::min(p.out_height - oy, row_end - row),
                               top = std::clamp<std::int64_t>(oy * p.stride_h - p.pad_top, 0, p.height),
                               bottom = std::clamp<std::int64_t>(
                                   (oy + count - 1) * p.stride_h - p.pad_top + p.reach_h(), top, p.height);
            const float* x = a.x + image * p.volume_step();
            float* const y = a.y + image * p.out_height * p.out_width * p.y_pixel;
            float* to = y + oy * out_line;
            if (p.x_pairs) {
                s.pairs.widen(reinterpret_cast<const std::uint16_t*>(x) + top * line, scratch, (bottom - top) * line);
                x = scratch - top * line;
            }
            if (p.y_pairs) to = scratch + p.widened_rows();
            const float* const add = a.add ? a.add + (image * p.out_height + oy) * p.out_width * p.add_pixel : nullptr;
            for (std::int64_t i = 0; i < chunks; ++i)
                s.depthwise->run({x, p.height, p.width, p.channels, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w,
                                  p.dilation_h, p.dilation_w, p.pad_top - oy * p.stride_h, p.pad_left, p.out_width,
                                  a.weights, a.bias, add, to, p.post_op},
                                 0, count, chunk(i).first, chunk(i).end);
            if (p.y_pairs) s.pairs.round(to, count * out_line, reinterpret_cast<std::uint16_t*>(y) + oy * out_line);
            row += count;
        }
    }
    static void run_rows(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                         std::int64_t row, std::int64_t row_end, channels_range channels, float* scratch,
                         const context& c) noexcept {
        while (row < row_end && !c.stopped()) {
            const std::int64_t image = row / p.out_height, oy = row % p.out_height,
                               count = p.deep() ? 1 : std::min(p.out_height - oy, row_end - row);
            const std::int64_t frame = image % p.frames.out, at = oy * p.out_width * p.channels;
            std::int64_t left = std::max<std::int64_t>(1, p.frames.taps(frame, p.frames.in) - p.frames.taps(frame, 0));
            const float* sum = nullptr;  // of the frames before: never where the next one is written, since some
                                         // channels are computed twice
            over_taps(p, a, image, [&](const conv_f32_pass& pass) {
                float* const to = --left % 2 ? scratch : pass.y + at;
                const float* const add = sum ? sum : pass.add ? pass.add + at : nullptr;
                s.depthwise->run({pass.x, pass.sees ? p.height : 0, p.width, p.channels, p.kernel_h, p.kernel_w,
                                  p.stride_h, p.stride_w, p.dilation_h, p.dilation_w, p.pad_top - oy * p.stride_h,
                                  p.pad_left, p.out_width, pass.weights, pass.bias, add, to, pass.post_op},
                                 0, count, channels.first, channels.end);
                sum = to;
            });
            row += count;
        }
    }
};
}  // namespace v1
}  // namespace inlay
