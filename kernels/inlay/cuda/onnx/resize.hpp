// Resize and Upsample of floating-point types on CUDA: one small kernel computes tables of positions and weights, one
// reads by them. Images, nearest and linear along height and width, in either layout; anything else in the order of
// ONNX, in double. Limit: one write of every output, and the input once.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/resize.hpp>

namespace inlay {
inline namespace v1 {
namespace resizing {
template <class T> struct resize_on_cuda : simple_kernel {
    struct params {
        geometry p;
        axis_factor factors[max_rank];
        std::int64_t depth, images;  // depth: of the contiguous channels; 0: no image
    };
    struct place {  // of one output position of an image: a * near + b * far; far < 0: near alone
        std::int32_t near, far;
        float a, b;
    };
    // Of every axis; false where they are not known before the run.
    static constexpr bool read_known(const node_view& n, const geometry& p, axis_factor (&f)[max_rank]) {
        const auto scales = known_scales(n, p);
        const auto sizes = known_sizes(n, p);
        const auto region =
            p.roi >= 0 ? n.input_reals(p.roi).value_or(std::span<const double>{}) : std::span<const double>{};
        if ((scales.empty() && sizes.empty()) || (p.roi >= 0 && region.empty())) return false;
        for (int i = 0; i < p.axes.rank; ++i) {
            axis_factor& axis = f[p.axes[i]];
            axis.scale = !scales.empty()             ? scales[std::size_t(i)]
                         : p.keep != policy::stretch ? kept_ratio(p, sizes.data())
                                                     : double(sizes[std::size_t(i)]) / double(p.x[int(p.axes[i])]);
            if (p.roi >= 0) {
                axis.start = region[std::size_t(i)];
                axis.end = region[std::size_t(i + p.axes.rank)];
            }
        }
        return true;
    }
    static constexpr bool is_image(const geometry& p, const axis_factor (&f)[max_rank]) {
        return p.x.rank == 4 && p.mode != interpolation::cubic && !p.antialias && !p.exclude_outside &&
               p.transformation != coordinates::crop && f[0].scale == 1 && f[1].scale == 1;
    }
    static constexpr params prepare(const node_view& n) {
        params q{};
        read(n, q.p);
        q.p.y = n.output(0).dims;
        q.p.from = strides_of(q.p.x, layout::plain);
        if (!read_known(n, q.p, q.factors) || !is_image(q.p, q.factors)) return q;
        const bool is_channels_last = n.input_layout(0) == layout::channels_last;
        q.depth = is_channels_last ? q.p.x[1] : 1;
        q.images = is_channels_last ? q.p.x[0] : q.p.x[0] * q.p.x[1];
        return q;
    }
    static constexpr layout_rule layouts(const node_view& n) {
        return prepare(n).depth > 0 ? order_of_input(n) : layout_rule{};
    }
    static constexpr verdict supports(const node_view& n) {
        geometry p;
        axis_factor f[max_rank];
        read(n, p);
        p.y = n.output(0).dims;
        if (!read_known(n, p, f)) return no("cuda: scales or sizes, and the region, must be known before the run");
        if (p.y.elements() == 0) return yes();
        for (const axis_factor& axis : f)
            if (!(axis.scale > 0 && axis.scale < longest && axis.start - axis.start == 0 && axis.end - axis.end == 0))
                return no("cuda: a scale or a region is out of range");
        if (p.x.elements() == 0) return no("cuda: an empty input");
        for (int i = 0; i < p.x.rank; ++i)
            if (p.mode != interpolation::nearest && !keeps(p, f[i], i) &&
                2 * half_width(p, f[i].scale) > taps_at_most(p, i))
                return no("cuda: a scale does not fit the output's shape");
        return yes();
    }
    static constexpr bytes_needed footprint(const params& q, isa::level, int) {
        if (q.p.y.elements() == 0) return {};
        return {0, q.depth > 0 ? (q.p.y[2] + q.p.y[3]) * std::int64_t(sizeof(place)) : table_bytes(q.p)};
    }
    static status run(const params& q, const state&, const arguments& a, context& c) noexcept;  // resize.cu
};
}  // namespace resizing
#define INLAY_RESIZE(T) \
    template <> struct kernel<op::resize, device::cuda, types<T>> : resizing::resize_on_cuda<T> {}; \
    template <> struct kernel<op::upsample, device::cuda, types<T>> : resizing::resize_on_cuda<T> {};
INLAY_RESIZE(float)
INLAY_RESIZE(float16)
INLAY_RESIZE(bfloat16)
#undef INLAY_RESIZE
}  // namespace v1
}  // namespace inlay
