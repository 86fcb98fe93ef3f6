#include "lowering.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/resize.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace {
constexpr float endless = std::numeric_limits<float>::infinity();
const xnnpack_functions& xnn() { return xnnpack_library(); }

std::vector<std::size_t> dims_of(const shape& s) {
    if (is_image(s)) return {std::size_t(s[0]), std::size_t(s[2]), std::size_t(s[3]), std::size_t(s[1])};
    if (s.rank == 0) return {1};  // XNNPACK aborts where a tensor has no dimensions
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
    quantised_graph graph_;
    std::map<int, int> known_;    // value to its place in the recipe
    std::vector<char> in_bytes_;  // nodes that are computed in 8 bits
    std::vector<char> absorbed_;  // nodes that encode what such a node already gives in 8 bits
    std::vector<int> encoded_;    // by value: what it is in 8 bits, or -1
    purpose why_;
    bool bytes_ = false;  // the node that is lowered is one of them

    recipe::tensor_value blank(int id) const {
        recipe::tensor_value v;
        v.dims = dims_of(dims(id));
        if (!is_byte(r_.graph.values[std::size_t(id)].type)) return v;
        const quantisation q = *graph_.of(id);
        v.type = xnn_datatype_qint8;
        v.zero = q.zero;
        v.scales = q.scales;
        return v;
    }
    int add_value(recipe::tensor_value v) {
        out_.values.push_back(std::move(v));
        return int(out_.values.size()) - 1;
    }
    template <class T> const void* keep(const std::vector<T>& elements) {  // kernels may read a little too far
        auto& kept = out_.constants.emplace_back(elements.size() * sizeof(T) + XNN_EXTRA_BYTES);
        std::memcpy(kept.data(), elements.data(), elements.size() * sizeof(T));
        return kept.data();
    }
    void find_bytes() {
        std::vector<char> there(r_.graph.nodes.size(), 0);
        for (int i : r_.nodes) there[std::size_t(i)] = 1;
        for (int i : r_.nodes) {
            const auto around = graph_.neighbours_of(i, there);
            if (!around.why.empty()) continue;
            in_bytes_[std::size_t(i)] = absorbed_[std::size_t(around.behind)] = 1;
            const node_view n = graph_.view(i);
            encoded_[std::size_t(n.output_id(0))] = graph_.view(around.behind).output_id(0);
            for (int d : around.before) encoded_[std::size_t(graph_.view(d).output_id(0))] = graph_.view(d).input_id(0);
        }
    }

  public:
    lowering(const region& r, recipe& out, purpose why)
        : r_(r),
          out_(out),
          graph_(r.graph, r.constants),
          in_bytes_(r.graph.nodes.size(), 0),
          absorbed_(r.graph.nodes.size(), 0),
          encoded_(r.graph.values.size(), -1),
          why_(why) {
        const auto external = [&](std::span<const int> ids, std::uint32_t flag) {
            for (int id : ids) {
                recipe::tensor_value v = blank(id);
                v.external = out_.external++;
                v.flags = flag;
                known_[id] = add_value(std::move(v));
            }
        };
        external(r.inputs, XNN_VALUE_FLAG_EXTERNAL_INPUT);
        external(r.outputs, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
        find_bytes();
    }
    const shape& dims(int id) const { return r_.graph.values[std::size_t(id)].dims; }
    const float* elements(const node_view& n, int k) {
        if (why_ == purpose::trial)
            return static_cast<const float*>(keep(std::vector<float>(std::size_t(n.input(k).dims.elements()))));
        return static_cast<const float*>(r_.constant(n.input_id(k)));
    }
    int inner(std::vector<std::size_t> dims) { return add_value({std::move(dims)}); }
    int constant(std::vector<std::size_t> dims, std::vector<float> elements) {
        return add_value({std::move(dims), keep(elements)});
    }
    // The weights that input 1 is, in the order of `dims`, whose dimension `channel` is the output's channels.
    int weights(const node_view& n, std::vector<std::size_t> dims, std::vector<float> elements, std::size_t channel) {
        if (!bytes_) return constant(std::move(dims), std::move(elements));
        recipe::tensor_value v{dims};
        v.scales = graph_.of(n.input_id(1))->scales;
        v.channel = channel;
        v.type = v.scales.size() > 1 ? xnn_datatype_qcint8 : xnn_datatype_qint8;
        const std::size_t inner = channel == 0 ? elements.size() / dims[0] : 1;
        std::vector<std::int8_t> q(elements.size());
        for (std::size_t k = 0; k < q.size(); ++k) {
            const float scale = v.scales.size() > 1 ? v.scales[k / inner % dims[channel]] : v.scales[0];
            q[k] = std::int8_t(std::clamp(std::nearbyint(elements[k] / scale), -128.f, 127.f));
        }
        v.data = keep(q);
        return add_value(std::move(v));
    }
    int bias(const node_view& n, std::vector<float> elements) {
        if (!bytes_) return constant({elements.size()}, std::move(elements));
        recipe::tensor_value v{{elements.size()}};
        v.scales = graph_.of(n.input_id(1))->scales;
        for (float& s : v.scales) s *= graph_.of(n.input_id(0))->scales[0];
        v.type = v.scales.size() > 1 ? xnn_datatype_qcint32 : xnn_datatype_qint32;
        std::vector<std::int32_t> q(elements.size());
        for (std::size_t k = 0; k < q.size(); ++k)
            q[k] = std::int32_t(std::clamp(std::nearbyint(double(elements[k]) / v.scales[v.scales.size() > 1 ? k : 0]),
                                           -2147483648., 2147483647.));
        v.data = keep(q);
        return add_value(std::move(v));
    }
    int place(int id) {  // of a value that is no constant
        const auto at = known_.find(id);
        if (at != known_.end()) return at->second;
        return known_[id] = add_value(blank(id));
    }
    int place_of(int id) { return place(bytes_ ? encoded_[std::size_t(id)] : id); }
    int input(const node_view& n, int k) { return place_of(n.input_id(k)); }
    int output(const node_view& n) { return place_of(n.output_id(0)); }
    // An operand that is broadcast to `rank` dimensions.
    int operand(const node_view& n, int k, int rank) {
        if (!n.is_constant(k)) return input(n, k);
        const shape& d = n.input(k).dims;
        const float* x = elements(n, k);
        if (rank != 4)
            return constant(d.rank == 4 ? std::vector<std::size_t>{d.begin(), d.end()} : dims_of(d),
                            {x, x + d.elements()});
        shape four = shape::of_rank(4, 1);
        for (int i = 0; i < d.rank; ++i) four[4 - d.rank + i] = d[i];
        return constant(dims_of(four), channels_last(x, four[0], four[1], four[2] * four[3]));
    }
    void add(recipe::step s) { out_.steps.push_back(std::move(s)); }
    void lower(int i, void (*f)(lowering&, const node_view&)) {
        const node_view n = graph_.view(i);
        if (absorbed_[std::size_t(i)]) return;
        if (graph_.decodes(i) && !graph_.wanted_as_floats(n.output_id(0), in_bytes_)) return;
        bytes_ = in_bytes_[std::size_t(i)];
        f(*this, n);
    }
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
    const int in = l.input(n, 0), out = l.output(n),
              weight = l.weights(n, std::move(filter_dims), std::move(filter), depthwise ? 3 : 0);
    int bias = -1;
    if (n.has_input(2)) {
        const float* b = l.elements(n, 2);
        bias = l.bias(n, {b, b + channels});
    }
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

// ConvTranspose: pads that cut the output's end, or rows and columns behind it.
struct output_end {
    std::uint32_t cut = 0, more = 0;
};
output_end end_of(const transposed_convolution& c, int i) {
    const std::int64_t all = c.strides[i] * (c.input[i] - 1) + (c.kernel[i] - 1) * c.dilations[i] + 1 - c.pads[i],
                       missing = c.output[i] - all;
    return {std::uint32_t(std::max<std::int64_t>(0, -missing)), std::uint32_t(std::max<std::int64_t>(0, missing))};
}
std::string refuse_conv_transpose(const node_view& n) {
    if (std::string why = refuse_conv(n); !why.empty()) return why;
    transposed_convolution c;
    shape y;
    if (const verdict v = transposed_convolution::read(n, c, y); !v) return std::string(v.reason);
    for (int i : {0, 1})
        if (const std::int64_t more = end_of(c, i).more; more >= c.strides[i])
            return "XNNPACK adds less than a stride of " + std::to_string(c.strides[i]) + " to the output, not " +
                   std::to_string(more);
    return {};
}
void lower_conv_transpose(lowering& l, const node_view& n) {
    transposed_convolution c;
    shape y;
    (void)transposed_convolution::read(n, c, y);
    const shape& w = n.input(1).dims;  // [groups * inputs, outputs, height, width], inputs and outputs of one group
    const std::int64_t inputs = w[0] / c.group, outputs = w[1], area = w[2] * w[3];
    const float* const from = l.elements(n, 1);
    std::vector<float> filter(std::size_t(w.elements()));
    std::size_t at = 0;
    for (std::int64_t o = 0; o < c.group * outputs; ++o)
        for (std::int64_t p = 0; p < area; ++p)
            for (std::int64_t k = 0; k < inputs; ++k)
                filter[at++] = from[((o / outputs * inputs + k) * outputs + o % outputs) * area + p];
    const auto u = [](std::int64_t x) { return std::uint32_t(x); };
    const auto channels = std::size_t(c.group * outputs);
    const int in = l.input(n, 0), out = l.output(n),
              weight =
                  l.constant({channels, std::size_t(w[2]), std::size_t(w[3]), std::size_t(inputs)}, std::move(filter));
    int bias = -1;
    if (n.has_input(2)) {
        const float* b = l.elements(n, 2);
        bias = l.bias(n, {b, b + channels});
    }
    const output_end bottom = end_of(c, 0), right = end_of(c, 1);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_deconvolution_2d(
            g, u(c.pads[0]), right.cut, bottom.cut, u(c.pads[1]), bottom.more, right.more, u(c.kernel[0]),
            u(c.kernel[1]), u(c.strides[0]), u(c.strides[1]), u(c.dilations[0]), u(c.dilations[1]), u(c.group),
            std::size_t(inputs), std::size_t(outputs), -endless, endless, ids[std::size_t(in)],
            ids[std::size_t(weight)], bias < 0 ? XNN_INVALID_VALUE_ID : ids[std::size_t(bias)], ids[std::size_t(out)],
            0);
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
        const float* b = l.elements(n, 2);
        for (std::int64_t o = 0; o < columns; ++o) all[std::size_t(o)] = beta * b[single ? 0 : o];
        bias = l.bias(n, std::move(all));
    }
    const int in = l.input(n, 0), out = l.output(n),
              weight = l.weights(n, {std::size_t(columns), std::size_t(depth)}, std::move(filter), 0);
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
    const float* s = l.elements(n, 1);
    const int in = l.input(n, 0), slopes = l.constant({count}, {s, s + count}), out = l.output(n);
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

std::string no_refusal(const node_view&) { return {}; }
void lower_conversion(lowering& l, const node_view& n) {
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_convert(g, ids[std::size_t(in)], ids[std::size_t(out)], 0);
    });
}
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
    {"ConvTranspose", refuse_conv_transpose, lower_conv_transpose},
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
    {"Pad", refuse_pad, lower_pad},
    {"PRelu", refuse_prelu, lower_prelu},
    {"Reshape", refuse_reshape, lower_reshape},
    {"Resize", refuse_resize, lower_resize},
    {"Squeeze", refuse_reshape, lower_reshape},
    {"Sub", refuse_binary, lower_binary},
    {"Unsqueeze", refuse_reshape, lower_reshape},
    {"Upsample", refuse_resize, lower_resize},
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
    const auto any_of = [&](auto... l) { return ((found->lower == l) || ...); };
    const bool first_only = any_of(lower_reshape, lower_clip, lower_pad, lower_resize);  // others: small constants
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
recipe recipe_of(const region& r, purpose why) {
    recipe out;
    lowering l(r, out, why);
    for (int i : r.nodes) {
        const node_view n{r.graph, r.graph.nodes[std::size_t(i)]};
        const bool conversion = n.record.op == "QuantizeLinear" || n.record.op == "DequantizeLinear";
        l.lower(i, conversion ? lower_conversion : rule_of(n)->lower);
    }
    return out;
}
result<xnnpack_ptr<xnn_subgraph_t>> recipe::make() const {
    const auto failure = [](xnn_status s) { return error(error_code::provider_failed, text_of(s)); };
    xnn_subgraph_t g = nullptr;
    if (const xnn_status s = xnn().xnn_create_subgraph(external, 0, &g); s != xnn_status_success) return failure(s);
    xnnpack_ptr<xnn_subgraph_t> owner(g);
    std::vector<std::uint32_t> ids;
    for (const tensor_value& v : values) {
        std::uint32_t& id = ids.emplace_back();
        const std::size_t rank = v.dims.size(), *const dims = v.dims.data();
        const xnn_status s =
            v.scales.empty() ? xnn().xnn_define_tensor_value(g, v.type, rank, dims, v.data, v.external, v.flags, &id)
            : v.type == xnn_datatype_qcint8 || v.type == xnn_datatype_qcint32
                ? xnn().xnn_define_channelwise_quantized_tensor_value(g, v.type, v.scales.data(), rank, v.channel, dims,
                                                                      v.data, v.external, v.flags, &id)
                : xnn().xnn_define_quantized_tensor_value(g, v.type, v.zero, v.scales[0], rank, dims, v.data,
                                                          v.external, v.flags, &id);
        if (s != xnn_status_success) return failure(s);
    }
    for (const step& one : steps)
        if (const xnn_status s = one(g, ids); s != xnn_status_success) return failure(s);
    return owner;
}
}  // namespace v1
}  // namespace inlay
