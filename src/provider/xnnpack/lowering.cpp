#include "lowering.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/pool.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace {
constexpr float endless = std::numeric_limits<float>::infinity();
const xnnpack_functions& xnn() { return xnnpack_library(); }

std::vector<std::size_t> dims_of(const shape& s) {
    if (is_image(s)) return {std::size_t(s[0]), std::size_t(s[2]), std::size_t(s[3]), std::size_t(s[1])};
    return {s.begin(), s.end()};
}
// Elements of a plain tensor of four dimensions, channels last.
std::vector<float> channels_last(const float* x, std::int64_t n, std::int64_t c, std::int64_t area) {
    std::vector<float> y(std::size_t(n * c * area));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t k = 0; k < c; ++k)
            for (std::int64_t p = 0; p < area; ++p) y[std::size_t((i * area + p) * c + k)] = x[(i * c + k) * area + p];
    return y;
}

class lowering {
    const region& r_;
    recipe& out_;
    std::map<int, int> known_;  // value to its place in the recipe

  public:
    lowering(const region& r, recipe& out) : r_(r), out_(out) {
        const auto external = [&](std::span<const int> ids, std::uint32_t flag) {
            for (int id : ids) {
                known_[id] = int(out_.values.size());
                out_.values.push_back({dims_of(dims(id)), nullptr, out_.external++, flag});
            }
        };
        external(r.inputs, XNN_VALUE_FLAG_EXTERNAL_INPUT);
        external(r.outputs, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
    }
    const shape& dims(int id) const { return r_.graph.values[std::size_t(id)].dims; }
    const float* elements(const node_view& n, int k) const {
        return static_cast<const float*>(r_.constant(n.input_id(k)));
    }
    int inner(std::vector<std::size_t> dims) {
        out_.values.push_back({std::move(dims)});
        return int(out_.values.size()) - 1;
    }
    int constant(std::vector<std::size_t> dims, std::vector<float> elements) {
        constexpr std::size_t behind = XNN_EXTRA_BYTES / sizeof(float);  // kernels may read so much too far
        elements.resize(elements.size() + behind);
        const float* data = out_.constants.emplace_back(std::move(elements)).data();
        out_.values.push_back({std::move(dims), data});
        return int(out_.values.size()) - 1;
    }
    int place(int id) {  // of a value that is no constant
        const auto at = known_.find(id);
        if (at != known_.end()) return at->second;
        return known_[id] = inner(dims_of(dims(id)));
    }
    int input(const node_view& n, int k) { return place(n.input_id(k)); }
    int output(const node_view& n) { return place(n.output_id(0)); }
    // An operand that is broadcast to `rank` dimensions.
    int operand(const node_view& n, int k, int rank) {
        if (!n.is_constant(k)) return input(n, k);
        const shape& d = n.input(k).dims;
        const float* x = elements(n, k);
        if (rank != 4) return constant({d.begin(), d.end()}, {x, x + d.elements()});
        shape four = shape::of_rank(4, 1);
        for (int i = 0; i < d.rank; ++i) four[4 - d.rank + i] = d[i];
        return constant(dims_of(four), channels_last(x, four[0], four[1], four[2] * four[3]));
    }
    void add(recipe::step s) { out_.steps.push_back(std::move(s)); }
};

// --- what each operator needs, and how it is defined
std::string shape_text(const node_view& n, int k) { return to_string(n.input(k).dims); }
std::string needs_image(const node_view& n, int k = 0) {
    return is_image(n.input(k).dims) ? "" : "XNNPACK has it for images of 4 dimensions, not for " + shape_text(n, k);
}
std::string needs_constant(const node_view& n, int k) {
    return n.is_constant(k) ? "" : "XNNPACK needs input " + std::to_string(k) + " to be a constant";
}

// What is missing behind the input for windows at all outputs.
std::int64_t end_pad(std::int64_t in, std::int64_t out, std::int64_t reach, std::int64_t stride, std::int64_t before) {
    return std::max<std::int64_t>(0, (out - 1) * stride + reach - in - before);
}
std::string refuse_conv(const node_view& n) {
    if (std::string why = needs_image(n); !why.empty()) return why;
    for (int k : {1, 2})
        if (n.has_input(k))
            if (std::string why = needs_constant(n, k); !why.empty()) return why;
    return {};
}
std::vector<float> filter_of(const float* w, const shape& d) { return channels_last(w, d[0], d[1], d[2] * d[3]); }
void lower_conv(lowering& l, const node_view& n) {
    convolution c;
    shape y;
    (void)convolution::read(n, c, y);
    const shape &x = n.input(0).dims, &w = n.input(1).dims;
    std::array<std::uint32_t, 4> pads{};  // top, right, bottom, left
    for (int i : {0, 1}) {
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        pads[i == 0 ? 0 : 3] = std::uint32_t(c.pads[i]);
        pads[i == 0 ? 2 : 1] = std::uint32_t(end_pad(x[2 + i], y[2 + i], reach, c.strides[i], c.pads[i]));
    }
    const auto size = [](const shape& s, int i) { return std::uint32_t(s[i]); };
    const bool depthwise = c.group > 1 && w[1] == 1;
    const auto area = std::size_t(w[2] * w[3]), channels = std::size_t(w[0]);
    std::vector<float> filter;
    std::vector<std::size_t> filter_dims{channels, std::size_t(w[2]), std::size_t(w[3]), std::size_t(w[1])};
    if (depthwise) {
        filter_dims = {1, std::size_t(w[2]), std::size_t(w[3]), channels};
        filter = channels_last(l.elements(n, 1), 1, w[0], std::int64_t(area));
    } else
        filter = filter_of(l.elements(n, 1), w);
    const int in = l.input(n, 0), weight = l.constant(std::move(filter_dims), std::move(filter)), out = l.output(n);
    int bias = -1;
    if (n.has_input(2)) bias = l.constant({channels}, {l.elements(n, 2), l.elements(n, 2) + channels});
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        const auto id = [&](int k) { return k < 0 ? XNN_INVALID_VALUE_ID : ids[std::size_t(k)]; };
        const std::uint32_t group = std::uint32_t(c.group);
        if (depthwise)
            return xnn().xnn_define_depthwise_convolution_2d(
                g, pads[0], pads[1], pads[2], pads[3], size(c.kernel, 0), size(c.kernel, 1), size(c.strides, 0),
                size(c.strides, 1), size(c.dilations, 0), size(c.dilations, 1), std::uint32_t(channels) / group, group,
                -endless, endless, id(in), id(weight), id(bias), id(out), 0);
        return xnn().xnn_define_convolution_2d(
            g, pads[0], pads[1], pads[2], pads[3], size(c.kernel, 0), size(c.kernel, 1), size(c.strides, 0),
            size(c.strides, 1), size(c.dilations, 0), size(c.dilations, 1), group, std::size_t(w[1]), channels / group,
            -endless, endless, id(in), id(weight), id(bias), id(out), 0);
    });
}

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

std::string refuse_product(const node_view& n) {
    if (std::string why = needs_constant(n, 1); !why.empty()) return why;
    const shape &a = n.input(0).dims, &b = n.input(1).dims;
    if (b.rank != 2) return "XNNPACK multiplies by a matrix, not by " + shape_text(n, 1);
    if (a.rank < 2 || is_image(a)) return "XNNPACK's fully connected layers do not take " + shape_text(n, 0) + " here";
    if (n.record.op == "MatMul") return {};
    if (n.integer("transA", 0)) return "XNNPACK does not transpose the input of a fully connected layer";
    if (!n.has_input(2)) return {};
    if (std::string why = needs_constant(n, 2); !why.empty()) return why;
    const shape& c = n.input(2).dims;
    return c.rank == 2 && c[0] != 1 ? "XNNPACK's bias has one row, not " + std::to_string(c[0]) : "";
}
void lower_product(lowering& l, const node_view& n) {
    const bool gemm = n.record.op == "Gemm", transposed = gemm && n.integer("transB", 0) != 0;
    const shape& b = n.input(1).dims;
    const std::int64_t columns = b[transposed ? 0 : 1], depth = b[transposed ? 1 : 0];
    const float alpha = gemm ? float(n.real("alpha", 1)) : 1, beta = gemm ? float(n.real("beta", 1)) : 1;
    const float* w = l.elements(n, 1);
    std::vector<float> filter(std::size_t(columns * depth));
    for (std::int64_t o = 0; o < columns; ++o)
        for (std::int64_t i = 0; i < depth; ++i)
            filter[std::size_t(o * depth + i)] = alpha * w[transposed ? o * depth + i : i * columns + o];
    int bias = -1;
    if (gemm && n.has_input(2)) {
        std::vector<float> all(static_cast<std::size_t>(columns));
        const bool single = n.input(2).dims.elements() == 1;
        for (std::int64_t o = 0; o < columns; ++o) all[std::size_t(o)] = beta * l.elements(n, 2)[single ? 0 : o];
        bias = l.constant({std::size_t(columns)}, std::move(all));
    }
    const int in = l.input(n, 0), out = l.output(n),
              weight = l.constant({std::size_t(columns), std::size_t(depth)}, std::move(filter));
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_fully_connected(g, -endless, endless, ids[std::size_t(in)], ids[std::size_t(weight)],
                                                bias < 0 ? XNN_INVALID_VALUE_ID : ids[std::size_t(bias)],
                                                ids[std::size_t(out)], 0);
    });
}

using unary_function = xnn_status (*)(xnn_subgraph_t, std::uint32_t from, std::uint32_t to, float a, float b);
struct unary_rule {
    std::string_view op;
    unary_function define;
    float a = 0, b = 0;  // defaults of the attributes below
    std::string_view alpha{}, beta{};
};
const unary_rule unary_rules[] = {
    {"Abs", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_abs(g, x, y, 0); }},
    {"Ceil", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_ceiling(g, x, y, 0); }},
    {"Elu", [](auto g, auto x, auto y, float a, float) { return xnn().xnn_define_elu(g, a, x, y, 0); }, 1, 0, "alpha"},
    {"Floor", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_floor(g, x, y, 0); }},
    {"GlobalAveragePool",
     [](auto g, auto x, auto y, float, float) {
         return xnn().xnn_define_global_average_pooling_2d(g, -endless, endless, x, y, 0);
     }},
    {"HardSwish", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_hardswish(g, x, y, 0); }},
    {"LeakyRelu", [](auto g, auto x, auto y, float a, float) { return xnn().xnn_define_leaky_relu(g, a, x, y, 0); },
     .01f, 0, "alpha"},
    {"Neg", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_negate(g, x, y, 0); }},
    {"Relu", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_clamp(g, 0, endless, x, y, 0); }},
    {"Round", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_bankers_rounding(g, x, y, 0); }},
    {"Sigmoid", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_sigmoid(g, x, y, 0); }},
    {"Softmax", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_softmax(g, x, y, 0); }},
    {"Sqrt", [](auto g, auto x, auto y, float, float) { return xnn().xnn_define_square_root(g, x, y, 0); }},
};
const unary_rule* unary_of(std::string_view op) {
    const auto at = std::ranges::find(unary_rules, op, &unary_rule::op);
    return at == std::end(unary_rules) ? nullptr : at;
}
std::string refuse_unary(const node_view& n) {
    const shape& x = n.input(0).dims;
    if (n.record.op == "GlobalAveragePool") return needs_image(n);
    if (n.record.op == "Elu" && n.real("alpha", 1) <= 0) return "XNNPACK's Elu needs a positive alpha";
    if (n.record.op != "Softmax") return {};
    std::int64_t axis = n.integer("axis", n.version() < 13 ? 1 : -1);
    if (axis < 0) axis += x.rank;
    const bool last = is_image(x) ? axis == 1 : axis == x.rank - 1;
    const bool whole = n.version() < 13 && x.elements(int(axis) + 1) != 1;  // over all that follows the axis
    return last && !whole ? "" : "XNNPACK's Softmax is along the channels, not along axis " + std::to_string(axis);
}
void lower_unary(lowering& l, const node_view& n) {
    const unary_rule& rule = *unary_of(n.record.op);
    const float a = rule.alpha.empty() ? rule.a : float(n.real(rule.alpha, rule.a));
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=, define = rule.define](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return define(g, ids[std::size_t(in)], ids[std::size_t(out)], a, 0);
    });
}

// Of Clip; nothing where a limit is not known.
std::optional<std::pair<float, float>> limits_of(const node_view& n) {
    std::pair<float, float> limits{-endless, endless};
    if (n.version() < 11) return std::pair{float(n.real("min", -endless)), float(n.real("max", endless))};
    for (int k : {1, 2}) {
        if (!n.has_input(k)) continue;
        const auto known = n.input_reals(k);
        if (!known || known->size() != 1) return std::nullopt;
        (k == 1 ? limits.first : limits.second) = float((*known)[0]);
    }
    return limits;
}
std::string refuse_clip(const node_view& n) {
    const auto limits = limits_of(n);
    if (!limits) return "XNNPACK's limits are constants";
    return limits->first < limits->second ? "" : "XNNPACK needs the lower limit to be below the upper one";
}
void lower_clip(lowering& l, const node_view& n) {
    const auto limits = *limits_of(n);
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_clamp(g, limits.first, limits.second, ids[std::size_t(in)], ids[std::size_t(out)], 0);
    });
}
void lower_hard_sigmoid(lowering& l, const node_view& n) {  // max(0, min(1, alpha x + beta))
    const int in = l.input(n, 0), out = l.output(n), scaled = l.inner(dims_of(n.input(0).dims)),
              alpha = l.constant({1}, {float(n.real("alpha", .2))}),
              beta = l.constant({1}, {float(n.real("beta", .5))});
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        const auto id = [&](int k) { return ids[std::size_t(k)]; };
        const xnn_status s = xnn().xnn_define_multiply2(g, -endless, endless, id(in), id(alpha), id(scaled), 0);
        return s == xnn_status_success ? xnn().xnn_define_add2(g, 0, 1, id(scaled), id(beta), id(out), 0) : s;
    });
}

std::string refuse_binary(const node_view& n) {
    const shape& y = n.output(0).dims;
    if (n.is_constant(0) && n.is_constant(1)) return "both inputs are constants";
    for (int k : {0, 1}) {
        const shape& x = n.input(k).dims;
        if (n.is_constant(k) || is_image(x) == is_image(y) || x.elements() == 1) continue;
        return "input " + std::to_string(k) + " is " + shape_text(n, k) + ", beside images of 4 dimensions";
    }
    return {};
}
void lower_binary(lowering& l, const node_view& n) {
    const std::string_view op = n.record.op;
    const int rank = n.output(0).dims.rank, a = l.operand(n, 0, rank), b = l.operand(n, 1, rank), y = l.output(n);
    const auto limited = op == "Add"   ? xnn().xnn_define_add2
                         : op == "Sub" ? xnn().xnn_define_subtract
                         : op == "Mul" ? xnn().xnn_define_multiply2
                         : op == "Div" ? xnn().xnn_define_divide
                                       : nullptr;
    const auto free = op == "Max" ? xnn().xnn_define_maximum2 : xnn().xnn_define_minimum2;
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        const auto id = [&](int k) { return ids[std::size_t(k)]; };
        return limited ? limited(g, -endless, endless, id(a), id(b), id(y), 0) : free(g, id(a), id(b), id(y), 0);
    });
}

std::string refuse_prelu(const node_view& n) {
    if (std::string why = needs_constant(n, 1); !why.empty()) return why;
    const shape &x = n.input(0).dims, &s = n.input(1).dims;
    const std::int64_t channels = is_image(x) ? x[1] : x.rank > 0 ? x[x.rank - 1] : 0;
    const int behind = is_image(x) ? 2 : 0;  // dimensions behind the channels
    bool fits = s.elements() == channels && s.rank > behind && s[s.rank - 1 - behind] == channels;
    return fits ? "" : "XNNPACK's slopes are one for each channel, not " + shape_text(n, 1);
}
void lower_prelu(lowering& l, const node_view& n) {
    const auto count = std::size_t(n.input(1).dims.elements());
    const int in = l.input(n, 0), slopes = l.constant({count}, {l.elements(n, 1), l.elements(n, 1) + count}),
              out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_prelu(g, ids[std::size_t(in)], ids[std::size_t(slopes)], ids[std::size_t(out)], 0);
    });
}

std::string refuse_reshape(const node_view& n) {
    if (n.record.op == "Dropout" && n.has_output(1)) return "XNNPACK has no mask of Dropout";
    for (const shape* s : {&n.input(0).dims, &n.output(0).dims})
        if (!same_either_way(*s))
            return "its channels come last here, so that " + to_string(*s) + " is not only renamed";
    return {};
}
void lower_reshape(lowering& l, const node_view& n) {
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=, dims = dims_of(n.output(0).dims)](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_static_reshape(g, dims.size(), dims.data(), ids[std::size_t(in)], ids[std::size_t(out)],
                                               0);
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

std::string no_refusal(const node_view&) { return {}; }
struct rule {
    std::string_view op;
    std::string (*refuse)(const node_view&);
    void (*lower)(lowering&, const node_view&);
};
const rule rules[] = {
    {"Add", refuse_binary, lower_binary},
    {"AveragePool", refuse_pool, lower_pool},
    {"Clip", refuse_clip, lower_clip},
    {"Conv", refuse_conv, lower_conv},
    {"DepthToSpace", refuse_depth_to_space, lower_depth_to_space},
    {"Div", refuse_binary, lower_binary},
    {"Dropout", refuse_reshape, lower_reshape},
    {"Flatten", refuse_reshape, lower_reshape},
    {"Gemm", refuse_product, lower_product},
    {"HardSigmoid", no_refusal, lower_hard_sigmoid},
    {"Identity", refuse_reshape, lower_reshape},
    {"MatMul", refuse_product, lower_product},
    {"Max", refuse_binary, lower_binary},
    {"MaxPool", refuse_pool, lower_pool},
    {"Min", refuse_binary, lower_binary},
    {"Mul", refuse_binary, lower_binary},
    {"PRelu", refuse_prelu, lower_prelu},
    {"Reshape", refuse_reshape, lower_reshape},
    {"Squeeze", refuse_reshape, lower_reshape},
    {"Sub", refuse_binary, lower_binary},
    {"Unsqueeze", refuse_reshape, lower_reshape},
};
std::optional<rule> rule_of(const node_view& n) {
    if (!n.record.domain.empty()) return std::nullopt;
    if (unary_of(n.record.op)) return rule{n.record.op, refuse_unary, lower_unary};
    const auto at = std::ranges::find(rules, n.record.op, &rule::op);
    if (at == std::end(rules)) return std::nullopt;
    return *at;
}
std::string refuse_tensor(const value& v, const std::string& which) {
    if (v.type != element::f32)
        return which + " is of type " + std::string(name_of(v.type)) + "; XNNPACK has floats here";
    if (v.dims.elements() == 0) return which + " has no elements";
    if (v.dims.rank > XNN_MAX_TENSOR_DIMS)
        return which + " has " + std::to_string(v.dims.rank) + " dimensions; XNNPACK has " +
               std::to_string(XNN_MAX_TENSOR_DIMS) + " at most";
    for (std::int64_t d : v.dims)
        if (d > std::numeric_limits<std::int32_t>::max()) return which + " has a dimension of " + std::to_string(d);
    return {};
}
}  // namespace

std::string refusal_of(const node_view& n) {
    const auto found = rule_of(n);
    if (!found) return "this version of XNNPACK has no " + std::string(n.record.op);
    const bool first_only =
        found->lower == lower_reshape || found->lower == lower_clip;  // the others are small constants
    const bool pair = found->lower == lower_binary;
    if (!n.has_input(0) || n.is_constant(0) & !pair) return "XNNPACK computes nothing with a constant input 0";
    if (pair && n.input_count() != 2) return "XNNPACK has it for 2 inputs, not for " + std::to_string(n.input_count());
    for (int k = 0; k < (first_only ? 1 : n.input_count()); ++k)
        if (n.has_input(k))
            if (std::string why = refuse_tensor(n.input(k), "input " + std::to_string(k)); !why.empty()) return why;
    if (!n.has_output(0)) return "its output is missing";
    if (std::string why = refuse_tensor(n.output(0), "the output"); !why.empty()) return why;
    return found->refuse(n);
}
recipe recipe_of(const region& r) {
    recipe out;
    lowering l(r, out);
    for (int i : r.nodes) {
        const node_view n{r.graph, r.graph.nodes[std::size_t(i)]};
        rule_of(n)->lower(l, n);
    }
    return out;
}
result<xnnpack_ptr<xnn_subgraph_t>> recipe::make() const {
    const auto failure = [](xnn_status s) { return error(error_code::provider_failed, text_of(s)); };
    xnn_subgraph_t g = nullptr;
    if (const xnn_status s = xnn().xnn_create_subgraph(external, 0, &g); s != xnn_status_success) return failure(s);
    xnnpack_ptr<xnn_subgraph_t> owner(g);
    std::vector<std::uint32_t> ids;
    for (const tensor_value& v : values)
        if (const xnn_status s = xnn().xnn_define_tensor_value(g, xnn_datatype_fp32, v.dims.size(), v.dims.data(),
                                                               v.data, v.external, v.flags, &ids.emplace_back());
            s != xnn_status_success)
            return failure(s);
    for (const step& one : steps)
        if (const xnn_status s = one(g, ids); s != xnn_status_success) return failure(s);
    return owner;
}
}  // namespace v1
}  // namespace inlay
