// Pools and sizes of images.
#include "rules.hpp"
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/resize.hpp>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
namespace {
struct windows {  // of the spatial axes
    dnnl_dims_t strides{}, kernel{}, dilations{}, before{}, after{};
};
void lower_windows(lowering& l, const node_view& n, dnnl_alg_kind_t algorithm, const windows& w) {
    const dnnl_layout result = any_layout(n.output(0).dims);
    const int y = in_some_layout(l, l.input(n, 0), [&](int x) {
        const planned_primitive planned =
            plan_primitive(dnnl().dnnl_pooling_forward_primitive_desc_create, dnnl_forward_inference, algorithm,
                           l.layout(x).get(), result.get(), w.strides, w.kernel, w.dilations, w.before, w.after,
                           const_dnnl_primitive_attr_t(attributes().get()));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
        return out;
    });
    l.give(n, 0, y);
}
void lower_pool(lowering& l, const node_view& n) {
    if (n.has_output(1)) refuse("oneDNN's maxima come without their indices");
    pool_windows p;
    check_read([&] { return p.read(n); });
    const bool mean = n.record.op == "AveragePool";
    const int spatial = n.input(0).dims.rank - 2;
    windows w;
    for (int i = 0; i < spatial; ++i) {
        const window_axis& a = p.axes[std::size_t(3 - spatial + i)];
        const std::int64_t reach = (a.kernel - 1) * a.dilation + 1,
                           after = std::max<std::int64_t>(0, (a.out - 1) * a.stride + reach - a.in - a.before);
        if (a.before >= reach || after >= reach) refuse("its padding is as long as the window");
        if (mean && p.include_padding && after > a.after) refuse("oneDNN counts what lies behind the padding");
        w.strides[i] = a.stride;
        w.kernel[i] = a.kernel;
        w.dilations[i] = a.dilation - 1;
        w.before[i] = a.before;
        w.after[i] = after;
    }
    lower_windows(l, n,
                  !mean               ? dnnl_pooling_max
                  : p.include_padding ? dnnl_pooling_avg_include_padding
                                      : dnnl_pooling_avg_exclude_padding,
                  w);
}
void lower_global_pool(lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (x.rank < 3 || x.rank > 5) refuse("oneDNN has it for 1 to 3 spatial axes, not for " + shape_text(n, 0));
    windows w;
    for (int i = 2; i < x.rank; ++i) w.strides[i - 2] = w.kernel[i - 2] = x[i];
    lower_windows(l, n, n.record.op == "GlobalMaxPool" ? dnnl_pooling_max : dnnl_pooling_avg_exclude_padding, w);
}

// oneDNN's nearest element is that of the result's middle; where lengths are multiplied by whole numbers, all of these
// roundings and coordinates agree on it.
void check_nearest(const node_view& n, const resizing::geometry& p) {
    using namespace resizing;
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    for (int i = 2; i < x.rank; ++i)
        if (y[i] % x[i] != 0) refuse("oneDNN's nearest elements are those of ONNX for whole factors only");
    const bool middle = p.where == coordinates::half_pixel &&
                        (p.nearest == rounding::prefer_floor || p.nearest == rounding::prefer_ceil),
               begin = p.where == coordinates::asymmetric &&
                       (p.nearest == rounding::floor || p.nearest == rounding::by_direction);
    if (!middle && !begin) refuse("oneDNN places its nearest elements otherwise");
}
void lower_resize(lowering& l, const node_view& n) {
    using namespace resizing;
    geometry p;
    if (const auto problem = read(n, p); !problem.empty()) refuse(std::string(problem));
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    if (x.rank < 3 || x.rank > 5 || x[0] != y[0] || x[1] != y[1]) refuse("oneDNN resizes 1 to 3 spatial axes only");
    if (p.antialias) refuse("oneDNN has no antialias");
    if (p.mode == interpolation::nearest)
        check_nearest(n, p);
    else if (p.mode != interpolation::linear || p.where != coordinates::half_pixel)
        refuse("oneDNN resizes with mode nearest, or linear at half_pixel, only");
    if (p.scales < 0 || p.sizes >= 0) {
        if (p.keep != policy::stretch) refuse("oneDNN keeps no ratio of the sides");
    } else {
        const auto scales = known_scales(n, p);
        if (scales.size() != std::size_t(p.axes.rank)) refuse("oneDNN's scales are constants");
        for (std::size_t k = 0; k < scales.size(); ++k)
            if (const int axis = int(p.axes[int(k)]); double(x[axis]) * scales[k] != double(y[axis]))
                refuse("a scale of " + std::to_string(scales[k]) + " is not that of the sizes, which oneDNN goes by");
    }
    const dnnl_alg_kind_t how = p.mode == interpolation::nearest ? dnnl_resampling_nearest : dnnl_resampling_linear;
    const int out = in_some_layout(l, l.input(n, 0), [&](int in) {
        const planned_primitive planned =
            plan_primitive(dnnl().dnnl_resampling_forward_primitive_desc_create, dnnl_forward_inference, how,
                           static_cast<const float*>(nullptr), l.layout(in).get(), any_layout(y).get(),
                           const_dnnl_primitive_attr_t(attributes().get()));
        const int made = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, made}});
        return made;
    });
    l.give(n, 0, out);
}
}  // namespace

std::span<const rule> window_rules() {
    static constexpr rule rules[] = {
        {"AveragePool", lower_pool},          {"GlobalAveragePool", lower_global_pool},
        {"GlobalMaxPool", lower_global_pool}, {"MaxPool", lower_pool},
        {"Resize", lower_resize, 1},          {"Upsample", lower_resize, 1},
    };
    return rules;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay
