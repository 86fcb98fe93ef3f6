#include "writer.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
using namespace lowering;
namespace {
constexpr float endless = std::numeric_limits<float>::infinity();
// Kernels for Arm's processors without dot products add two products in 16 bits, which 2 * 128 * 128 does not fit.
#if defined(__aarch64__)
constexpr bool multiplies_least_codes = false;
#else
constexpr bool multiplies_least_codes = true;
#endif

using id = std::uint32_t;
using sizes = std::vector<std::size_t>;
sizes sizes_of(const operand& t) {
    if (t.dims.rank == 0) return {1};  // XNNPACK aborts where a tensor has no dimensions
    const integers dims = dims_in_memory(t);
    return {dims.begin(), dims.end()};
}
std::uint32_t u(std::int64_t x) { return std::uint32_t(x); }
std::uint32_t positive_part(std::int64_t x) { return u(std::max<std::int64_t>(0, x)); }
// XNNPACK gets signed elements: of unsigned ones, 128 is taken away at a region's borders, and from their zero points.
operand made_signed(operand x) {
    if (std::exchange(x.type, element::i8) == element::u8) x.quantized->zero -= 128;
    return x;
}

class subgraph_writer {
    using form = xnnpack_program::form;
    const xnnpack_program& program_;
    purpose purpose_;
    const region* region_;
    xnnpack_ptr<xnn_subgraph_t> graph_{};
    tensor_table<id> tensors_{};
    std::size_t constants_ = 0;

    xnn_subgraph_t graph() const { return graph_.get(); }
    id define(const form&, const sizes&, const void* data, id external = XNN_INVALID_VALUE_ID, std::uint32_t flags = 0);
    id define(const operand&, id external = XNN_INVALID_VALUE_ID, std::uint32_t flags = 0);
    template <class Make> id constant(const form&, const sizes&, Make elements);
    id constant(const operand&, const sizes&);
    id at(const operand& x) {
        return tensors_.get(x, [this](const operand& c) { return constant(c, sizes_of(c)); });
    }
    id made(const operand& y);
    std::vector<float> floats_of(const operand&);
    // With its axes in this order; `channel` is the outputs' place among them.
    id weights(const operand& x, const operand& w, const shape& dims, const std::vector<int>& axes, const sizes&,
               std::size_t channel);
    id bias(const operand& x, const operand& w, const std::optional<operand>&);

  public:
    subgraph_writer(const xnnpack_program&, purpose, const region*);
    xnnpack_ptr<xnn_subgraph_t> finish() { return std::move(graph_); }

    void write(const unary_prim&);
    void write(const clamp_prim&);
    void write(const binary_prim&);
    void write(const conv_prim&);
    void write(const deconv_prim&);
    void write(const dense_prim&);
    void write(const pool_prim&);
    void write(const softmax_prim&);
    void write(const reshape_prim&);
    void write(const concat_prim&);
    void write(const pad_prim&);
    void write(const blocks_prim&);
    void write(const resize_prim&);
    void write(const quantize_prim& p) { convert(p.x, p.y); }
    void write(const dequantize_prim& p) { convert(p.x, p.y); }
    void convert(const operand& x, const operand& y) {
        check_xnnpack(xnn().xnn_define_convert(graph(), at(x), made(y), 0));
    }
};

subgraph_writer::subgraph_writer(const xnnpack_program& p, purpose purpose, const region* r)
    : program_(p), purpose_(purpose), region_(r) {
    xnn_subgraph_t graph = nullptr;
    check_xnnpack(xnn().xnn_create_subgraph(u(p.arguments.size() + p.results.size()), 0, &graph));
    graph_.reset(graph);
    id next = 0;
    for (const operand& x : p.arguments) tensors_.set(x, define(x, next++, XNN_VALUE_FLAG_EXTERNAL_INPUT));
}

// --- values
id subgraph_writer::define(const form& f, const sizes& dims, const void* data, id external, std::uint32_t flags) {
    id value = 0;
    const std::size_t rank = dims.size();
    check_xnnpack(f.scales.empty()
                      ? xnn().xnn_define_tensor_value(graph(), f.type, rank, dims.data(), data, external, flags, &value)
                  : f.scales.size() > 1
                      ? xnn().xnn_define_channelwise_quantized_tensor_value(graph(), f.type, f.scales.data(), rank,
                                                                            f.channel, dims.data(), data, external,
                                                                            flags, &value)
                      : xnn().xnn_define_quantized_tensor_value(graph(), f.type, f.zero, f.scales[0], rank, dims.data(),
                                                                data, external, flags, &value));
    return value;
}
id subgraph_writer::define(const operand& x, id external, std::uint32_t flags) {
    if (!x.is_quantized()) return define({}, sizes_of(x), nullptr, external, flags);
    const quantisation codes = *made_signed(x).quantized;
    return define({xnn_datatype_qint8, codes.zero, codes.scales}, sizes_of(x), nullptr, external, flags);
}
id subgraph_writer::made(const operand& y) {
    const auto same = [&](const operand& r) { return r.id == y.id && r.order == y.order; };
    const auto at = std::ranges::find_if(program_.results, same);
    const bool ends = at != program_.results.end();
    const id external = u(std::int64_t(program_.arguments.size()) + (at - program_.results.begin()));
    const id value = ends ? define(y, external, XNN_VALUE_FLAG_EXTERNAL_OUTPUT) : define(y);
    tensors_.set(y, value);
    return value;
}
template <class Make> id subgraph_writer::constant(const form& f, const sizes& dims, Make elements) {
    if (constants_ == program_.constants.size()) {  // kernels may read a little too far
        const auto blank = [](std::size_t size) {
            return std::make_shared<tensor>(element::u8, shape{std::int64_t(size + XNN_EXTRA_BYTES)});
        };
        if (purpose_ == purpose::trial) {
            std::size_t size = sizeof(float);
            for (const std::size_t d : dims) size *= d;
            program_.constants.push_back({blank(size), f});
        } else {
            const auto values = elements();
            auto bytes = blank(values.size() * sizeof(values[0]));
            std::memcpy(bytes->data(), values.data(), values.size() * sizeof(values[0]));
            program_.constants.push_back({share(std::move(bytes)), f});
        }
    }
    const xnnpack_program::constant& c = program_.constants[constants_++];
    return define(c.as, dims, c.elements->data());
}
std::vector<float> subgraph_writer::floats_of(const operand& x) {
    std::deque<std::vector<float>> buffers;
    const float* const values = lowering::floats_of(*region_, x, buffers);
    return {values, values + x.dims.elements()};
}
id subgraph_writer::constant(const operand& x, const sizes& dims) {
    return constant({}, dims, [&] { return floats_of(x); });
}
id subgraph_writer::weights(const operand& x, const operand& w, const shape& dims, const std::vector<int>& axes,
                            const sizes& to, std::size_t channel) {
    const auto turned = [&] { return permuted(floats_of(w).data(), dims, axes); };
    if (!x.is_quantized()) return constant({}, to, turned);
    const byte_weights in_bytes(*w.quantized, made_signed(x));
    std::size_t inner = 1;
    for (std::size_t i = channel + 1; i < to.size(); ++i) inner *= to[i];
    const auto codes = [&] { return in_bytes.quantized(turned(), to[channel], inner); };
    if (!multiplies_least_codes && region_ && std::ranges::count(codes(), char(-128)) > 0)
        refuse("XNNPACK's products of 8 bits on Arm's processors are right for weights from -127 on");
    return constant({in_bytes.each() ? xnn_datatype_qcint8 : xnn_datatype_qint8, 0, in_bytes.scales(), channel}, to,
                    codes);
}
id subgraph_writer::bias(const operand& x, const operand& w, const std::optional<operand>& bias) {
    if (!bias) return XNN_INVALID_VALUE_ID;
    const sizes dims{std::size_t(bias->dims.elements())};
    if (!x.is_quantized()) return constant(*bias, dims);
    const byte_weights in_bytes(*w.quantized, made_signed(x));
    form f{in_bytes.each() ? xnn_datatype_qcint32 : xnn_datatype_qint32, 0, in_bytes.scales()};
    for (float& s : f.scales) s *= x.quantized->scales[0];
    return constant(f, dims, [&] { return in_bytes.quantized_bias(floats_of(*bias)); });
}

// --- primitives
void subgraph_writer::write(const unary_prim& p) {
    const auto& f = xnn();
    const id x = at(p.x), y = made(p.y);
    check_xnnpack([&] {
        switch (p.does) {
            case function::abs: return f.xnn_define_abs(graph(), x, y, 0);
            case function::ceil: return f.xnn_define_ceiling(graph(), x, y, 0);
            case function::elu: return f.xnn_define_elu(graph(), p.alpha, x, y, 0);
            case function::floor: return f.xnn_define_floor(graph(), x, y, 0);
            case function::hard_swish: return f.xnn_define_hardswish(graph(), x, y, 0);
            case function::leaky_relu: return f.xnn_define_leaky_relu(graph(), p.alpha, x, y, 0);
            case function::neg: return f.xnn_define_negate(graph(), x, y, 0);
            case function::relu: return f.xnn_define_clamp(graph(), 0, endless, x, y, 0);
            case function::round: return f.xnn_define_bankers_rounding(graph(), x, y, 0);
            case function::sigmoid: return f.xnn_define_sigmoid(graph(), x, y, 0);
            case function::sqrt: return f.xnn_define_square_root(graph(), x, y, 0);
            default: return xnn_status_unsupported_parameter;
        }
    }());
}
void subgraph_writer::write(const clamp_prim& p) {
    const float low = p.low == -no_bound ? -endless : p.low, high = p.high == no_bound ? endless : p.high;
    check_xnnpack(xnn().xnn_define_clamp(graph(), low, high, at(p.x), made(p.y), 0));
}
void subgraph_writer::write(const binary_prim& p) {
    const auto& f = xnn();
    const bool slopes = p.does == arithmetic::prelu;
    const id a = at(p.a), b = slopes ? constant(p.b, {std::size_t(p.b.dims.elements())}) : at(p.b), y = made(p.y);
    check_xnnpack([&] {
        switch (p.does) {
            case arithmetic::add: return f.xnn_define_add2(graph(), -endless, endless, a, b, y, 0);
            case arithmetic::sub: return f.xnn_define_subtract(graph(), -endless, endless, a, b, y, 0);
            case arithmetic::mul: return f.xnn_define_multiply2(graph(), -endless, endless, a, b, y, 0);
            case arithmetic::div: return f.xnn_define_divide(graph(), -endless, endless, a, b, y, 0);
            case arithmetic::max: return f.xnn_define_maximum2(graph(), a, b, y, 0);
            case arithmetic::min: return f.xnn_define_minimum2(graph(), a, b, y, 0);
            case arithmetic::prelu: return f.xnn_define_prelu(graph(), a, b, y, 0);
            default: return xnn_status_unsupported_parameter;
        }
    }());
}
void subgraph_writer::write(const conv_prim& p) {
    const shape& w = p.w.dims;
    const auto outputs = std::size_t(w[0]), inputs = std::size_t(w[1]), rows = std::size_t(w[2]),
               columns = std::size_t(w[3]);
    const window_axis &v = p.window[0], &h = p.window[1];
    const bool depthwise = p.depthwise();
    const id filter = depthwise ? weights(p.x, p.w, {1, w[0], w[2], w[3]}, {0, 2, 3, 1}, {1, rows, columns, outputs}, 3)
                                : weights(p.x, p.w, w, {0, 2, 3, 1}, {outputs, rows, columns, inputs}, 0);
    const id b = bias(p.x, p.w, p.bias), x = at(p.x), y = made(p.y);
    check_xnnpack(depthwise ? xnn().xnn_define_depthwise_convolution_2d(
                                  graph(), u(v.before), u(h.after), u(v.after), u(h.before), u(v.kernel), u(h.kernel),
                                  u(v.stride), u(h.stride), u(v.dilation), u(h.dilation), u(w[0] / p.groups),
                                  std::size_t(p.groups), -endless, endless, x, filter, b, y, 0)
                            : xnn().xnn_define_convolution_2d(
                                  graph(), u(v.before), u(h.after), u(v.after), u(h.before), u(v.kernel), u(h.kernel),
                                  u(v.stride), u(h.stride), u(v.dilation), u(h.dilation), u(p.groups), inputs,
                                  outputs / std::size_t(p.groups), -endless, endless, x, filter, b, y, 0));
}
void subgraph_writer::write(const deconv_prim& p) {
    const shape& w = p.w.dims;  // [groups * inputs, outputs, rows, columns], inputs and outputs of one group
    const std::int64_t inputs = w[0] / p.groups;
    const window_axis &v = p.window[0], &h = p.window[1];
    const id filter =
        weights(p.x, p.w, {p.groups, inputs, w[1], w[2], w[3]}, {0, 2, 3, 4, 1},
                {std::size_t(p.groups * w[1]), std::size_t(w[2]), std::size_t(w[3]), std::size_t(inputs)}, 0);
    const id b = bias(p.x, p.w, p.bias), x = at(p.x), y = made(p.y);
    check_xnnpack(xnn().xnn_define_deconvolution_2d(
        graph(), u(v.before), positive_part(h.after), positive_part(v.after), u(h.before), positive_part(-v.after),
        positive_part(-h.after), u(v.kernel), u(h.kernel), u(v.stride), u(h.stride), u(v.dilation), u(h.dilation),
        u(p.groups), std::size_t(inputs), std::size_t(w[1]), -endless, endless, x, filter, b, y, 0));
}
void subgraph_writer::write(const dense_prim& p) {
    const sizes dims{std::size_t(p.w.dims[0]), std::size_t(p.w.dims[1])};
    const id w = weights(p.x, p.w, p.w.dims, {0, 1}, dims, 0), b = bias(p.x, p.w, p.bias), x = at(p.x), y = made(p.y);
    check_xnnpack(xnn().xnn_define_fully_connected(graph(), -endless, endless, x, w, b, y, 0));
}
void subgraph_writer::write(const pool_prim& p) {
    const window_axis &v = p.window[0], &h = p.window[1];
    const id x = at(p.x), y = made(p.y);
    if (p.does == pooling::max)
        check_xnnpack(xnn().xnn_define_max_pooling_2d(graph(), u(v.before), u(h.after), u(v.after), u(h.before),
                                                      u(v.kernel), u(h.kernel), u(v.stride), u(h.stride), u(v.dilation),
                                                      u(h.dilation), -endless, endless, x, y, 0));
    else if (p.whole)
        check_xnnpack(xnn().xnn_define_global_average_pooling_2d(graph(), -endless, endless, x, y, xnnpack_keeps_dims));
    else
        check_xnnpack(xnn().xnn_define_average_pooling_2d(graph(), u(v.before), u(h.after), u(v.after), u(h.before),
                                                          u(v.kernel), u(h.kernel), u(v.stride), u(h.stride), -endless,
                                                          endless, x, y, 0));
}
void subgraph_writer::write(const softmax_prim& p) {
    check_xnnpack(xnn().xnn_define_softmax(graph(), at(p.x), made(p.y), 0));
}
void subgraph_writer::write(const reshape_prim& p) {
    const sizes dims = sizes_of(p.y);
    check_xnnpack(xnn().xnn_define_static_reshape(graph(), dims.size(), dims.data(), at(p.x), made(p.y), 0));
}
void subgraph_writer::write(const concat_prim& p) {
    std::vector<id> parts;
    for (const operand& part : p.parts) parts.push_back(at(part));
    check_xnnpack(define_concatenation(graph(), p.axis, parts, made(p.y)));
}
void subgraph_writer::write(const pad_prim& p) {
    const sizes before(p.before.begin(), p.before.end()), after(p.after.begin(), p.after.end());
    check_xnnpack(
        xnn().xnn_define_static_constant_pad(graph(), before.data(), after.data(), p.value, at(p.x), made(p.y), 0));
}
void subgraph_writer::write(const blocks_prim& p) {
    check_xnnpack(xnn().xnn_define_depth_to_space(graph(), at(p.x), made(p.y), u(p.block), 0));
}
void subgraph_writer::write(const resize_prim& p) {
    using resizing::coordinates;
    const coordinates transformation = p.facts.geometry.transformation;
    const std::uint32_t flag = transformation == coordinates::asymmetric      ? XNN_FLAG_TENSORFLOW_LEGACY_MODE
                               : transformation == coordinates::align_corners ? XNN_FLAG_ALIGN_CORNERS
                                                                              : 0;
    check_xnnpack(xnn().xnn_define_static_resize_bilinear_2d(graph(), std::size_t(p.y.dims[2]),
                                                             std::size_t(p.y.dims[3]), at(p.x), made(p.y), flag));
}
}  // namespace

xnnpack_ptr<xnn_subgraph_t> xnnpack_program::subgraph(purpose purpose, const region* r) const {
    subgraph_writer w(*this, purpose, r);
    for (const primitive& p : primitives) write_to<xnnpack_rules>(w, p);
    return w.finish();
}
bool xnnpack_program::is_quantized() const {
    return std::ranges::any_of(primitives, [](const primitive& p) {
        return std::visit([](const auto& prim) { return prim.y.is_quantized() || data_of(prim).is_quantized(); }, p);
    });
}
bool xnnpack_program::reads(const operand& y) const {
    bool is_read = false;
    for (const primitive& p : primitives)
        std::visit(
            [&](const auto& prim) {
                each_input(prim, [&](const operand& x) { is_read |= x.id == y.id && x.order == y.order; });
            },
            p);
    return is_read;
}
// What it takes in 8 bits depends on scales too: then a runtime is made to try.
xnnpack_program xnnpack_writer::finish() {
    if (purpose_ == purpose::use) {
        (void)out_.subgraph(purpose_, &r_);
    } else if (out_.is_quantized()) {
        packed_weights weights;
        xnnpack_runtime runtime;
        const auto subgraph = out_.subgraph(purpose_, &r_);
        if (const xnn_status s = weights.make_runtime(subgraph.get(), nullptr, runtime); s != xnn_status_success)
            refuse(std::string("XNNPACK does not compute it in 8 bits: ") + text_of(s));
    }
    return std::move(out_);
}
}  // namespace v1
}  // namespace inlay
