// Conv, ConvTranspose, and products.
#include "model.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
namespace {
using operands = std::vector<std::uint32_t>;
template <class T> std::vector<char> bytes_of(const std::vector<T>& list) {
    std::vector<char> all(list.size() * sizeof(T));
    std::memcpy(all.data(), list.data(), all.size());
    return all;
}

// Weights and a bias of a node, whose input 1 they are and input 2. channel: the dimension that is the output's.
struct filter {
    operands dims;
    std::uint32_t channel;
    std::int64_t channels;
    floats_maker weights;                           // in that order
    float alpha = 1, beta = 1;                      // of weights and bias
    bool bias_is_one = false;                       // for all channels
    std::int64_t channel_of(std::size_t k) const {  // of element k of the weights
        std::size_t behind = 1;
        for (std::size_t i = channel + 1; i < dims.size(); ++i) behind *= dims[i];
        return std::int64_t(k / behind) % channels;
    }
};
float bias_at(const node_writer& a, const filter& f, std::int64_t c) {
    return a.n.has_input(2) ? f.beta * a.elements(2)[f.bias_is_one ? 0 : c] : 0.f;
}
void add_floats(const node_writer& a, const filter& f, operands& inputs) {
    inputs.push_back(a.to.floats(f.dims, f.weights));
    inputs.push_back(a.to.floats({std::uint32_t(f.channels)}, [&] {
        std::vector<float> all;
        for (std::int64_t c = 0; c < f.channels; ++c) all.push_back(bias_at(a, f, c));
        return all;
    }));
}
// Weights are symmetric with a scale for each channel, or have one scale and the input's type.
void add_codes(const node_writer& a, const filter& f, operands& inputs) {
    const quantisation q = *a.to.quantised_as(a.n.input_id(1));
    const operand_type x = a.to.info_of_value(a.n.input_id(0)).type;
    const bool each = q.scales.size() > 1, has_sign = each || x.code == TENSOR_QUANT8_ASYMM_SIGNED;
    const std::int32_t zero =
        q.zero + (has_sign && q.type == element::u8 ? -128 : 0) + (!has_sign && q.type == element::i8 ? 128 : 0);
    if (each && (zero != 0 || q.axis != 0 || a.n.record.op != "Conv" || std::int64_t(q.scales.size()) != f.channels))
        refuse("NNAPI has a scale for each channel of a Conv, without zero points");
    const auto scale = [&](std::int64_t c) { return q.scales[each ? std::size_t(c) : 0]; };
    const float least = has_sign ? -128.f : 0.f, most = has_sign ? 127.f : 255.f;
    const codes_maker weights = [&] {
        const std::vector<float> w = f.weights();
        std::vector<char> all(w.size());
        for (std::size_t k = 0; k < w.size(); ++k)
            all[k] = char(int(std::clamp(std::nearbyint(w[k] / scale(f.channel_of(k))) + float(zero), least, most)));
        return all;
    };
    const codes_maker biases = [&] {
        std::vector<std::int32_t> all;
        for (std::int64_t c = 0; c < f.channels; ++c)
            all.push_back(
                std::int32_t(std::clamp(std::nearbyint(double(bias_at(a, f, c)) / (double(x.scale) * double(scale(c)))),
                                        -2147483648., 2147483647.)));
        return bytes_of(all);
    };
    if (each)
        inputs.push_back(a.to.codes(f.dims, {TENSOR_QUANT8_SYMM_PER_CHANNEL}, weights, q.scales, f.channel));
    else
        inputs.push_back(a.to.codes(f.dims, {x.code, q.scales[0], zero}, weights));
    inputs.push_back(
        a.to.codes({std::uint32_t(f.channels)}, {TENSOR_INT32, each ? 0.f : x.scale * q.scales[0], 0}, biases));
}
void add_filter(const node_writer& a, const filter& f, operands& inputs) {
    (void)a.constant(1, "the weights");
    if (a.n.has_input(2)) (void)a.constant(2, "the bias");
    a.to.in_bytes() ? add_codes(a, f, inputs) : add_floats(a, f, inputs);
}

// left, right, top, bottom, then the strides over columns and rows
void add_window(const node_writer& a, const convolution_axes& c, const std::array<std::int64_t, 2>& ends,
                operands& inputs) {
    for (std::int64_t x : {c.pads[1], ends[1], c.pads[0], ends[0], c.strides[1], c.strides[0]})
        inputs.push_back(a.to.scalar(std::int32_t(x)));
}
void write_conv(const node_writer& a) {
    a.require_image();
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y));
    const shape& w = a.n.input(1).dims;  // [outputs, inputs of a group, rows, columns]
    const bool depthwise = c.group > 1 && w[1] == 1, dilated = c.dilations[0] != 1 || c.dilations[1] != 1;
    std::array<std::int64_t, 2> ends{};
    for (int i : {0, 1}) {
        if (c.pads[i] < 0) refuse("a pad is negative");
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        ends[std::size_t(i)] =
            std::max<std::int64_t>(0, (c.output[i] - 1) * c.strides[i] + reach - c.input[i] - c.pads[i]);
    }
    const auto rows = std::uint32_t(w[2]), columns = std::uint32_t(w[3]);
    filter f{{std::uint32_t(w[0]), rows, columns, std::uint32_t(w[1])}, 0, w[0], [&] {
                 return channels_last(a.elements(1), w);
             }};
    if (depthwise) {
        f.dims = {1, rows, columns, std::uint32_t(w[0])};
        f.channel = 3;
        f.weights = [&] { return channels_last(a.elements(1), {1, w[0], w[2], w[3]}); };
    }
    operands inputs{a.image().operand};
    add_filter(a, f, inputs);
    add_window(a, c, ends, inputs);
    if (c.group > 1) inputs.push_back(a.to.scalar(std::int32_t(depthwise ? w[0] / c.group : c.group)));
    inputs.push_back(a.to.scalar(FUSED_NONE));
    a.add_order(inputs);
    if (dilated) {
        if (c.group > 1 && !depthwise) refuse("it is dilated and has groups, and NNAPI's operation is one of both");
        a.to.require_level(29, "dilated convolutions");
        for (int i : {1, 0}) inputs.push_back(a.to.scalar(std::int32_t(c.dilations[i])));
    }
    const std::int32_t code = depthwise ? DEPTHWISE_CONV_2D : c.group > 1 ? GROUPED_CONV_2D : CONV_2D;
    a.put(a.to.operation(code, inputs, a.result(a.to.image_order())));
}
void write_conv_transpose(const node_writer& a) {
    a.require_image();
    transposed_convolution c;
    shape y;
    require(transposed_convolution::read(a.n, c, y));
    if (c.group != 1) refuse("it has " + std::to_string(c.group) + " groups, and NNAPI's operation one");
    std::array<std::int64_t, 2> ends{};
    for (int i : {0, 1}) {
        if (c.dilations[i] != 1) refuse("it is dilated, and NNAPI's operation is not");
        const std::int64_t end = c.strides[i] * (c.input[i] - 1) + c.kernel[i] - c.pads[i] - c.output[i];
        if (end < 0 || c.pads[i] < 0)
            refuse("its result is longer than what its kernel reaches, which NNAPI's operation does not make");
        ends[std::size_t(i)] = end;
    }
    const shape& w = a.n.input(1).dims;  // [inputs, outputs, rows, columns]
    const filter f{{std::uint32_t(w[1]), std::uint32_t(w[2]), std::uint32_t(w[3]), std::uint32_t(w[0])}, 0, w[1], [&] {
                       return outputs_first(a.elements(1), w);
                   }};
    operands inputs{a.image().operand};
    add_filter(a, f, inputs);
    add_window(a, c, ends, inputs);
    inputs.push_back(a.to.scalar(FUSED_NONE));
    inputs.push_back(a.to.scalar(a.channels_first()));
    a.put(a.to.operation(TRANSPOSE_CONV_2D, inputs, a.result(a.to.image_order())));
}

// rows [M, K] times the constant input 1, [N, K] where `by_column`, else [K, N]
void put_product(const node_writer& a, bool by_column, filter f) {
    const shape& x = a.n.input(0).dims;
    const shape b = a.to.info_of_value(a.n.input_id(1)).dims;  // which is not empty, or refused
    const std::int64_t columns = by_column ? b[0] : b[1], depth = by_column ? b[1] : b[0];
    f.dims = {std::uint32_t(columns), std::uint32_t(depth)};
    f.channel = 0;
    f.channels = columns;
    f.weights = [&] {
        std::vector<float> all(std::size_t(columns * depth));
        const float* const from = a.elements(1);
        for (std::int64_t o = 0; o < columns; ++o)
            for (std::int64_t i = 0; i < depth; ++i)
                all[std::size_t(o * depth + i)] = f.alpha * from[by_column ? o * depth + i : i * columns + o];
        return all;
    };
    const shape rows{x.elements() / depth, depth};
    operands inputs{a.to.reshaped(a.input(0), with_dims(a.input(0).info, rows)).operand};
    add_filter(a, f, inputs);
    inputs.push_back(a.to.scalar(FUSED_NONE));
    a.put(a.to.operation(FULLY_CONNECTED, inputs, {{rows[0], columns}, a.output_info().type}));
}
void write_gemm(const node_writer& a) {
    if (a.n.integer("transA", 0) != 0) refuse("A is transposed, which NNAPI's fully connected layer cannot");
    (void)a.constant(1, "B");
    filter f{{}, 0, 0, {}, float(a.n.real("alpha", 1)), float(a.n.real("beta", 1))};
    if (a.n.has_input(2)) {
        const shape& c = a.constant(2, "C");
        f.bias_is_one = c.elements() == 1;
        if (!f.bias_is_one && c[c.rank - 1] != c.elements())
            refuse("C of shape " + to_string(c) + " is not one row, as NNAPI's bias is");
    }
    if (a.to.in_bytes() && (f.alpha != 1 || f.beta != 1)) refuse("products in 8 bits have no alpha and beta");
    put_product(a, a.n.integer("transB", 0) != 0, std::move(f));
}
void write_matmul(const node_writer& a) {
    const shape &x = a.n.input(0).dims, &b = a.n.input(1).dims;
    if (a.n.is_constant(1) && b.rank == 2 && x.rank >= 2) return put_product(a, false, {});
    if (x.rank < 2 || x.rank != b.rank || !std::equal(x.begin(), x.end() - 2, b.begin()))
        refuse("it multiplies " + to_string(x) + " by " + to_string(b) + ", and NNAPI matrices of equal batches");
    a.put(a.to.operation(BATCH_MATMUL, {a.plain(0).operand, a.plain(1).operand, a.to.scalar(false), a.to.scalar(false)},
                         a.result(layout::plain)));
}
}  // namespace

std::span<const named_writer> convolution_writers() {
    static constexpr named_writer all[] = {
        {"Conv", write_conv}, {"ConvTranspose", write_conv_transpose}, {"Gemm", write_gemm}, {"MatMul", write_matmul}};
    return all;
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay
