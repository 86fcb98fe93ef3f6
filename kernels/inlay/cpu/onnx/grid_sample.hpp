// GridSample of images of float32 on the CPU: nearest and linear, in either layout.
#pragma once
#include <inlay/cpu/isa/sample_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/grid_sample.hpp>
#include <inlay/support/input_order.hpp>

namespace inlay {
inline namespace v1 {
template <std::derived_from<op::grid_sample> Op>
struct kernel<Op, device::cpu, types<float, any_float>> : simple_kernel {
    struct params {
        grid_sampling::geometry g;
        bool channels_last;
        shape grid;  // from one of its elements to the next
        std::int64_t out_width;
    };
    struct state {
        const sample_f32_table* functions;
    };
    // The grid has X's layout, unless it is a constant.
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static constexpr verdict supports(const node_view& n) {
        const element x = n.input(0).type, grid = n.input(1).type;
        if (!(grid == element::f32 || (is_half(x) && is_half(grid))))
            return no("the fast kernel takes a grid of floats");
        const auto g = grid_sample_kernel<float>::prepare(n);
        if (g.axes != 2) return no("the fast kernel samples images: four dimensions");
        if (g.interpolation == grid_sampling::method::cubic) return no("the fast kernel has no cubic");
        if (g.lengths[0] >= sample_f32_table::most_pixels || g.lengths[1] >= sample_f32_table::most_pixels ||
            g.size > sample_f32_table::most_pixels || g.size == 0)
            return no("the fast kernel takes images of 1 to 2^24 pixels");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const auto g = grid_sample_kernel<float>::prepare(n);
        return {g, n.input_layout(0) == layout::channels_last && g.channels > 1,
                strides_of(n.input(1).dims, n.input_layout(1)), n.output(0).dims[3]};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, p.channels_last ? 4 * p.g.channels : 0};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &sample_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const auto& g = p.g;
        if (p.channels_last) std::fill_n(reinterpret_cast<float*>(c.scratch), g.channels, 0.f);
        const sample_f32_call call{a.in<float>(0),  a.in<float>(1), reinterpret_cast<const float*>(c.scratch),
                                   a.out<float>(0), g.lengths[0],   g.lengths[1],
                                   g.channels,      g.places,       p.out_width,
                                   p.grid[0],       p.grid[1],      p.grid[2],
                                   p.grid[3],       int(g.beyond),  g.interpolation == grid_sampling::method::nearest,
                                   g.corners,       p.channels_last};
        const std::int64_t work = 8 + 4 * g.channels, step = 128 * (1 + (1 << 20) / (128 * work));
        c.split(g.batch * g.places, 1 + (1 << 15) / work, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (; first < end && !c.stopped(); first += step)
                s.functions->images(call, first, std::min(first + step, end));
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
