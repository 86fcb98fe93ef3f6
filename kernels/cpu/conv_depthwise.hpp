// Convolution on the CPU of each channel by itself.
#pragma once
#include "conv_params.hpp"

namespace inlay::inline v1 {
struct conv_f32_depthwise {
    static void run(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a, context& c) noexcept {
        const std::int64_t lanes = gemm_f32_lanes(s.level), vectors = std::max<std::int64_t>(1, p.channels / lanes), lines = p.images() * p.out_height;
        const double work = double(lines * p.out_width) * double(p.filter() * p.channels);
        const work_grid grid = share(c.threads, lines, vectors, work, false);
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            const std::int64_t first = box.column * lanes, last = box.column_end == vectors ? p.channels : box.column_end * lanes;
            for (std::int64_t row = box.row; row < box.row_end && !c.stopped();) {
                const std::int64_t image = row / p.out_height, oy = row % p.out_height, count = p.deep() ? 1 : std::min(p.out_height - oy, box.row_end - row);
                const std::int64_t frame = image % p.frames.out, at = oy * p.out_width * p.channels;
                std::int64_t left = std::max<std::int64_t>(1, p.frames.taps(frame, p.frames.in) - p.frames.taps(frame, 0));
                const float* sum = nullptr;  // of the frames before: never where the next one is written, since some channels are computed twice
                over_taps(p, a, image, [&](const conv_f32_pass& pass) {
                    float* const to = --left % 2 ? a.scratch + index * p.part_room(s.level) : pass.y + at;
                    const float* const add = sum ? sum : pass.add ? pass.add + at : nullptr;
                    s.depthwise->run({pass.x, pass.sees ? p.height : 0, p.width, p.channels, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w, p.pad_top - oy * p.stride_h, p.pad_left, p.out_width,
                                      pass.weights, pass.bias, add, to, pass.last}, 0, count, first, last);
                    sum = to;
                });
                row += count;
            }
        };
        if (grid.parts == 1) part(0);
        else c.for_each(grid.parts, part);
    }
};
}  // namespace inlay::inline v1
