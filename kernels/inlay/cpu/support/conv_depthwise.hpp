// Convolution on the CPU of each channel by itself.
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
        const work_grid grid = share(c.threads, lines, vectors, work, false);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            // From the last rows on, which the node before has left in the second-level cache, a band of them at a
            // time; of a band some channels, at least two vectors, so that the rows that a window sees stay in the
            // first level until the next row of windows.
            const std::int64_t band =
                std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, p.stride_h * p.width * p.channels));
            const std::int64_t all = box.column_end - box.column,
                               fits = p.reach_h() > p.stride_h
                                          ? 6144 / std::max<std::int64_t>(1, p.reach_h() * p.width * lanes)
                                          : 0;
            const std::int64_t chunks = fits < 2 ? 1 : (all + fits - 1) / fits;
            for (std::int64_t end = box.row_end; end > box.row && !c.stopped(); end -= band)
                for (std::int64_t i = 0; i < chunks; ++i) {
                    const std::int64_t begin = box.column + all * i / chunks,
                                       stop = box.column + all * (i + 1) / chunks;
                    run_rows(p, s, a, std::max(box.row, end - band), end, begin * lanes,
                             stop == vectors ? p.channels : stop * lanes, a.scratch + index * p.part_room(s.level), c);
                }
        };
        if (grid.parts == 1)
            part(0);
        else
            c.for_each(grid.parts, part);
    }

  private:
    static void run_rows(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a,
                         std::int64_t row, std::int64_t row_end, std::int64_t channel, std::int64_t channel_end,
                         float* scratch, const context& c) noexcept {
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
                                  p.pad_left, p.out_width, pass.weights, pass.bias, add, to, pass.last},
                                 0, count, channel, channel_end);
                sum = to;
            });
            row += count;
        }
    }
};
}  // namespace v1
}  // namespace inlay
