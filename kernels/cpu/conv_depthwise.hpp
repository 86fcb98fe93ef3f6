// Convolution on the CPU of each channel by itself.
#pragma once
#include "conv_params.hpp"

namespace inlay::inline v1 {
struct conv_f32_depthwise {
    static void run(const conv_f32_params& p, const conv_f32_state& s, const conv_f32_arguments& a, context& c) noexcept {
        const std::int64_t lanes = gemm_f32_lanes(s.level), vectors = std::max<std::int64_t>(1, p.channels / lanes), lines = p.images() * p.out_height, plane = p.out_width * p.channels;
        const double work = double(lines * p.out_width) * double(p.filter() * p.channels);
        const work_grid grid = share(c.threads, lines, vectors, work, false);
        const window_axis& t = p.frames;
        const auto part = [&](int index) {
            const auto box = grid.part(index);
            const std::int64_t first = box.column * lanes, last = box.column_end == vectors ? p.channels : box.column_end * lanes;
            for (std::int64_t row = box.row; row < box.row_end && !c.stopped();) {
                const std::int64_t image = row / p.out_height, oy = row % p.out_height, count = std::min(p.out_height - oy, box.row_end - row), at = image * p.out_height * plane;
                const std::int64_t o = image % t.out, tap = t.taps(o, 0), taps = std::max<std::int64_t>(0, t.taps(o, t.in) - tap);
                const float* const x = a.x + image / t.out * p.volume_step() + (taps ? t.position(o, tap) * p.frame_step() : 0);
                const depthwise_f32_call call{x, taps, t.dilation * p.frame_step(), p.height, p.width, p.channels, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w,
                                              p.pad_top, p.pad_left, p.out_width, a.weights + (taps ? tap * a.weights_frame : 0), a.bias, a.add ? a.add + at : nullptr, a.y + at, p.last};
                s.depthwise->run(call, oy, oy + count, first, last);
                row += count;
            }
        };
        if (grid.parts == 1) part(0);
        else c.for_each(grid.parts, part);
    }
};
}  // namespace inlay::inline v1
