// Resize and Upsample of floats on CUDA, nearest and linear along height and width, in either layout: one small kernel makes tables of
// positions and weights, one reads by them. Limit: one write of every output, and the input once.
#pragma once
#include "../resize.hpp"

namespace inlay::inline v1 {
namespace resizing {
template <class T> struct image_on_cuda : simple_kernel {
    struct params {
        geometry p;
        axis_factor rows, columns;
        std::int64_t depth, images;  // depth: of the channels that lie side by side
    };
    struct place { std::int32_t near, far; float a, b; };  // of one output position: a * near + b * far; far < 0: near alone
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr axis_factor factor(const node_view& n, const geometry& p, int axis) {
        const auto scales = known_scales(n, p);
        const auto sizes = known_sizes(n, p);
        axis_factor f;
        for (int i = 0; i < p.axes.rank; ++i) if (p.axes[i] == axis)
            f.scale = !scales.empty() ? scales[std::size_t(i)] : p.keep != policy::stretch ? kept_ratio(p, sizes.data()) : double(sizes[std::size_t(i)]) / double(p.x[axis]);
        return f;
    }
    static constexpr verdict supports(const node_view& n) {
        geometry p;
        read(n, p);
        if (p.x.rank != 4) return no("cuda: only images, of four dimensions");
        if (p.mode == interpolation::cubic || p.antialias || p.exclude_outside || p.where == coordinates::crop) return no("cuda: no cubic, antialias, exclude_outside or region");
        if (known_scales(n, p).empty() && known_sizes(n, p).empty()) return no("cuda: scales or sizes must be known before the run");
        for (int axis = 0; axis < 2; ++axis) if (factor(n, p, axis).scale != 1) return no("cuda: only height and width");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        geometry p;
        read(n, p);
        p.y = n.output(0).dims;
        const bool last = n.input_layout(0) == layout::channels_last;
        return {p, factor(n, p, 2), factor(n, p, 3), last ? p.x[1] : 1, last ? p.x[0] : p.x[0] * p.x[1]};
    }
    static constexpr bytes_needed footprint(const params& q, isa::level, int) { return {0, (q.p.y[2] + q.p.y[3]) * std::int64_t(sizeof(place))}; }
    static status run(const params& q, const state&, const arguments& a, context& c) noexcept;  // resize.cu
};
}  // namespace resizing
#define INLAY_RESIZE(T) \
    template <> struct kernel<op::resize, device::cuda, types<T>> : resizing::image_on_cuda<T> {}; \
    template <> struct kernel<op::upsample, device::cuda, types<T>> : resizing::image_on_cuda<T> {};
INLAY_RESIZE(float)
INLAY_RESIZE(float16)
INLAY_RESIZE(bfloat16)
#undef INLAY_RESIZE
}  // namespace inlay::inline v1
