// Pools, pads and sizes of images.
#include "rules.hpp"
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/resize.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
namespace {
std::string refuse_pool(const node_view& n) {
    if (std::string why = needs_image(n); !why.empty()) return why;
    pool_windows p;
    if (const verdict v = p.read(n); !v) return std::string(v.reason);
    if (p.axes[1].kernel * p.axes[2].kernel == 1) return "XNNPACK has no pools of one element";
    if (n.has_output(1)) return "XNNPACK's maxima come without their indices";
    if (n.record.op == "MaxPool") return {};
    if (p.axes[1].dilation * p.axes[2].dilation != 1) return "XNNPACK's means have no dilations";
    const bool pads = p.axes[1].before + p.axes[1].after + p.axes[2].before + p.axes[2].after > 0;
    return pads && p.include_padding ? "XNNPACK's means do not count padding" : "";
}
void lower_pool(lowering& l, const node_view& n) {
    pool_windows p;
    (void)p.read(n);
    const window_axis h = p.axes[1], w = p.axes[2];
    const auto after = [](const window_axis& a) {
        return std::uint32_t(end_pad(a.in, a.out, (a.kernel - 1) * a.dilation + 1, a.stride, a.before));
    };
    const bool maximum = n.record.op == "MaxPool";
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        const auto u = [](std::int64_t x) { return std::uint32_t(x); };
        const std::uint32_t from = ids[std::size_t(in)], to = ids[std::size_t(out)];
        if (maximum)
            return xnn().xnn_define_max_pooling_2d(g, u(h.before), after(w), after(h), u(w.before), u(h.kernel),
                                                   u(w.kernel), u(h.stride), u(w.stride), u(h.dilation), u(w.dilation),
                                                   -endless, endless, from, to, 0);
        return xnn().xnn_define_average_pooling_2d(g, u(h.before), after(w), after(h), u(w.before), u(h.kernel),
                                                   u(w.kernel), u(h.stride), u(w.stride), -endless, endless, from, to,
                                                   0);
    });
}

// What is put around the input of Pad; nothing where it is not known.
std::optional<float> padding_of(const node_view& n) {
    if (n.version() < 11) return float(n.real("value", 0));
    if (!n.has_input(2)) return 0.f;
    const auto known = n.input_reals(2);
    if (!known || known->size() != 1) return std::nullopt;
    return float((*known)[0]);
}
std::string refuse_pad(const node_view& n) {
    pad_axes axes;
    if (const verdict v = op::pad::read(n, axes); !v) return std::string(v.reason);
    if (op::pad::mode(n) != padding::constant)
        return "XNNPACK pads with a constant, not with the mode " + std::string(n.text("mode", ""));
    if (!axes.known || !padding_of(n)) return "XNNPACK's pads and what is put there are constants";
    const shape& x = n.input(0).dims;
    if (x.rank == 0) return "XNNPACK has no pads of a single element";
    for (int i = 0; i < x.rank; ++i)
        if (axes.list[std::size_t(i)].length != x[i]) return "XNNPACK takes nothing away, as negative pads do";
    return {};
}
void lower_pad(lowering& l, const node_view& n) {
    pad_axes axes;
    (void)op::pad::read(n, axes);
    shape before, after;
    for (int i = 0; i < n.input(0).dims.rank; ++i) {
        const pad_axis& a = axes.list[std::size_t(i)];
        before.push_back(a.at);
        after.push_back(a.size - a.at - a.length);
    }
    const float value = *padding_of(n);
    const int in = l.input(n, 0), out = l.output(n);
    l.add(
        [=, before = dims_of(before), after = dims_of(after)](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
            return xnn().xnn_define_static_constant_pad(g, before.data(), after.data(), value, ids[std::size_t(in)],
                                                        ids[std::size_t(out)], 0);
        });
}

// XNNPACK's flag for the coordinates of a Resize; nothing where it has none.
std::optional<std::uint32_t> flag_of(resizing::coordinates c) {
    switch (c) {
        case resizing::coordinates::half_pixel:
        case resizing::coordinates::pytorch_half_pixel: return 0;
        case resizing::coordinates::asymmetric: return XNN_FLAG_TENSORFLOW_LEGACY_MODE;
        case resizing::coordinates::align_corners: return XNN_FLAG_ALIGN_CORNERS;
        default: return std::nullopt;
    }
}
std::string refuse_resize(const node_view& n) {
    using namespace resizing;
    if (std::string why = needs_image(n); !why.empty()) return why;
    geometry p;
    if (const auto problem = read(n, p); !problem.empty()) return std::string(problem);
    if (p.mode != interpolation::linear || p.antialias)
        return "XNNPACK resizes with mode linear, without antialias, only";
    if (!flag_of(p.where))
        return "XNNPACK does not have the coordinates of " + std::string(n.text("coordinate_transformation_mode", ""));
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    if (x[0] != y[0] || x[1] != y[1]) return "XNNPACK resizes height and width only";
    constexpr std::int64_t most = 1 << 24;  // XNNPACK's positions are floats
    for (int i : {2, 3}) {
        if (std::max(x[i], y[i]) >= most) return "XNNPACK's images have fewer than 2^24 rows and columns";
        if (y[i] == 1 && x[i] != 1 && p.where != coordinates::half_pixel)
            return "XNNPACK places a single row or column otherwise";
    }
    if (p.scales < 0 && p.sizes >= 0) return p.keep == policy::stretch ? "" : "XNNPACK keeps no ratio of the sides";
    const auto scales = known_scales(n, p);
    if (scales.size() != std::size_t(p.axes.rank)) return "XNNPACK's scales are constants";
    for (std::size_t k = 0; k < scales.size(); ++k)
        if (const int axis = int(p.axes[int(k)]); double(x[axis]) * scales[k] != double(y[axis]))
            return "a scale of " + std::to_string(scales[k]) + " is not that of the sizes, which XNNPACK goes by";
    return {};
}
void lower_resize(lowering& l, const node_view& n) {
    resizing::geometry p;
    (void)resizing::read(n, p);
    const shape& y = n.output(0).dims;
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=, flag = *flag_of(p.where), height = std::size_t(y[2]), width = std::size_t(y[3])](
              xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_static_resize_bilinear_2d(g, height, width, ids[std::size_t(in)], ids[std::size_t(out)],
                                                          flag);
    });
}

std::string refuse_depth_to_space(const node_view& n) {
    if (std::string why = needs_image(n); !why.empty()) return why;
    return n.text("mode", "DCR") == "DCR" ? "" : "XNNPACK has the mode DCR only";
}
void lower_depth_to_space(lowering& l, const node_view& n) {
    const int in = l.input(n, 0), out = l.output(n);
    const auto block = std::uint32_t(n.integer("blocksize", 1));
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_depth_to_space(g, ids[std::size_t(in)], ids[std::size_t(out)], block, 0);
    });
}
}  // namespace

std::span<const rule> image_rules() {
    static constexpr rule rules[] = {
        {"AveragePool", refuse_pool, lower_pool},
        {"DepthToSpace", refuse_depth_to_space, lower_depth_to_space},
        {"MaxPool", refuse_pool, lower_pool},
        {"Pad", refuse_pad, lower_pad, operands::first},
        {"Resize", refuse_resize, lower_resize, operands::first},
        {"Upsample", refuse_resize, lower_resize, operands::first},
    };
    return rules;
}
}  // namespace xnnpack_rules
}  // namespace v1
}  // namespace inlay
