// Conv, ConvTranspose, and products with constant matrices.
#include "writer.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
using ::armnn::ConstTensor;
using ::armnn::INetwork;
using ::armnn::Optional;
using ::armnn::TensorInfo;
namespace {
using support = network_writer::support;
using reason = network_writer::reason;

// Padding at an end that makes as many results; what the strides leave out counts as none.
unsigned pad_at_end(const convolution_axes& c, int axis) {
    const std::int64_t reach = (c.kernel[axis] - 1) * c.dilations[axis] + 1;
    return unsigned(
        std::max<std::int64_t>((c.output[axis] - 1) * c.strides[axis] + reach - c.input[axis] - c.pads[axis], 0));
}
template <class Descriptor> Descriptor describe(const convolution_axes& c, bool bias) {
    Descriptor d;
    d.m_PadTop = unsigned(c.pads[0]);
    d.m_PadLeft = unsigned(c.pads[1]);
    d.m_PadBottom = pad_at_end(c, 0);
    d.m_PadRight = pad_at_end(c, 1);
    d.m_StrideY = unsigned(c.strides[0]);
    d.m_StrideX = unsigned(c.strides[1]);
    if constexpr (requires { d.m_DilationX; }) {
        d.m_DilationY = unsigned(c.dilations[0]);
        d.m_DilationX = unsigned(c.dilations[1]);
    }
    d.m_BiasEnabled = bias;
    d.m_DataLayout = ::armnn::DataLayout::NCHW;
    return d;
}
Optional<TensorInfo> info_if(bool there, const TensorInfo& info) {
    return there ? Optional<TensorInfo>(info) : Optional<TensorInfo>();
}
Optional<ConstTensor> tensor_if(bool there, const TensorInfo& info, const float* elements) {
    return there ? Optional<ConstTensor>(ConstTensor(info, elements)) : Optional<ConstTensor>();
}

// Output channel i * M + m sees input channel i; Arm NN's weights are [M, I, H, W].
std::vector<float> depthwise_weights(const float* w, std::int64_t inputs, std::int64_t multiplier, std::int64_t taps) {
    std::vector<float> all(std::size_t(inputs * multiplier * taps));
    for (std::int64_t i = 0; i < inputs; ++i)
        for (std::int64_t m = 0; m < multiplier; ++m)
            std::copy_n(w + (i * multiplier + m) * taps, taps, all.begin() + (m * inputs + i) * taps);
    return all;
}
void write_depthwise(const node_writer& a, const convolution& c) {
    const shape& w = a.n.input(1).dims;
    const bool bias = a.n.has_input(2);
    const std::int64_t multiplier = w[0] / c.group;
    const auto d = describe<::armnn::DepthwiseConvolution2dDescriptor>(c, bias);
    const stream x = a.input(0);
    const TensorInfo y = a.output_info(), weights = info_of({multiplier, c.group, w[2], w[3]}, element::f32),
                     biases = info_of({w[0]}, element::f32);
    a.put(a.to.layer(
        {x}, y,
        [&](const support& s, reason why) {
            return s.IsDepthwiseConvolutionSupported(x.info, y, d, weights, info_if(bias, biases), why);
        },
        [&](INetwork& net) {
            const auto elements = depthwise_weights(a.floats(1), c.group, multiplier, w[2] * w[3]);
            return net.AddDepthwiseConvolution2dLayer(d, ConstTensor(weights, elements),
                                                      tensor_if(bias, biases, bias ? a.floats(2) : nullptr));
        }));
}
// Parts of the channels, each convolved alone; one where there is one group.
void write_grouped(const node_writer& a, const convolution& c) {
    const shape &x = a.n.input(0).dims, &w = a.n.input(1).dims, &y = a.n.output(0).dims;
    const bool bias = a.n.has_input(2);
    const auto group = unsigned(c.group);
    const auto d = describe<::armnn::Convolution2dDescriptor>(c, bias);
    const TensorInfo part_in = info_of({x[0], x[1] / c.group, x[2], x[3]}, element::f32),
                     part_out = info_of({y[0], y[1] / c.group, y[2], y[3]}, element::f32),
                     weights = info_of({w[0] / c.group, w[1], w[2], w[3]}, element::f32),
                     biases = info_of({w[0] / c.group}, element::f32);
    const std::vector<stream> inputs =
        group == 1 ? std::vector{a.input(0)} : split(a.to, a.input(0), 1, std::vector(group, part_in));
    std::vector<stream> outputs;
    for (unsigned g = 0; g < group; ++g)
        outputs.push_back(a.to.layer(
            {inputs[g]}, part_out,
            [&](const support& s, reason why) {
                return s.IsConvolution2dSupported(part_in, part_out, d, weights, info_if(bias, biases), why);
            },
            [&](INetwork& net) {
                return net.AddConvolution2dLayer(
                    d, ConstTensor(weights, a.floats(1) + g * std::size_t(weights.GetNumElements())),
                    tensor_if(bias, biases, bias ? a.floats(2) + g * std::size_t(biases.GetNumElements()) : nullptr));
            }));
    a.put(group == 1 ? outputs[0] : concatenated(a.to, outputs, 1, a.output_info()));
}
void require_images(const node_writer& a) {
    a.require_image();
    (void)a.constant(1, "W");
    if (a.n.has_input(2)) (void)a.constant(2, "B");
}
void write_conv(const node_writer& a) {
    require_images(a);
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y));
    (void)a.output_info();
    const std::int64_t channels = a.n.input(0).dims[1];
    c.group > 1 && c.group == channels ? write_depthwise(a, c) : write_grouped(a, c);
}
void write_conv_transpose(const node_writer& a) {
    require_images(a);
    transposed_convolution c;
    shape y;
    require(transposed_convolution::read(a.n, c, y));
    if (y[0] != 1) refuse("its batch is " + std::to_string(y[0]) + ", and Arm NN's layer aborts where it is not 1");
    if (c.group != 1) refuse("it has " + std::to_string(c.group) + " groups, and Arm NN's layer one");
    auto d = describe<::armnn::TransposeConvolution2dDescriptor>(c, a.n.has_input(2));
    for (int i = 0; i < 2; ++i) {
        if (c.dilations[i] != 1) refuse("it is dilated, and Arm NN's layer is not");
        const std::int64_t end = c.strides[i] * (c.input[i] - 1) + c.kernel[i] - c.pads[i] - c.output[i];
        if (end < 0) refuse("its result is longer than what its kernel reaches, which Arm NN's layer does not make");
        (i == 0 ? d.m_PadBottom : d.m_PadRight) = unsigned(end);
    }
    const shape& w = a.n.input(1).dims;  // [in, out, H, W]; Arm NN's are [out, in, H, W]
    const stream x = a.input(0);
    const bool bias = d.m_BiasEnabled;
    const TensorInfo result = a.output_info(), weights = info_of({w[1], w[0], w[2], w[3]}, element::f32),
                     biases = info_of({w[1]}, element::f32);
    a.put(a.to.layer(
        {x}, result,
        [&](const support& s, reason why) {
            return s.IsTransposeConvolution2dSupported(x.info, result, d, weights, info_if(bias, biases), why);
        },
        [&](INetwork& net) {
            return net.AddTransposeConvolution2dLayer(
                d, ConstTensor(weights, depthwise_weights(a.floats(1), w[0], w[1], w[2] * w[3])),
                tensor_if(bias, biases, bias ? a.floats(2) : nullptr));
        }));
}

// rows [M, K] times the constant input 1 of the node, which is [K, N] or [N, K], plus `bias`, where it is, of N.
struct product {
    bool by_column = false;
    float alpha = 1;
    bool bias = false;
    std::function<std::vector<float>()> bias_elements{};
};
stream multiplied(const node_writer& a, const stream& rows, const product& p) {
    const shape& b = a.constant(1, "B");
    ::armnn::FullyConnectedDescriptor d;
    d.m_BiasEnabled = p.bias;
    d.m_TransposeWeightMatrix = p.by_column;
    const std::int64_t columns = p.by_column ? b[0] : b[1];
    const TensorInfo y = info_of({rows.info.GetShape()[0], columns}, element::f32), weights = info_of(b, element::f32),
                     biases = info_of({columns}, element::f32);
    return a.to.layer(
        {rows}, y,
        [&](const support& s, reason why) {
            return s.IsFullyConnectedSupported(rows.info, y, weights, biases, d, why);
        },
        [&](INetwork& net) {
            const std::vector<float> bias = p.bias ? p.bias_elements() : std::vector<float>();
            std::vector<float> scaled;
            if (p.alpha != 1)
                for (std::int64_t k = 0; k < b.elements(); ++k) scaled.push_back(p.alpha * a.floats(1)[k]);
            return net.AddFullyConnectedLayer(d, ConstTensor(weights, scaled.empty() ? a.floats(1) : scaled.data()),
                                              tensor_if(p.bias, biases, bias.data()));
        });
}
void write_gemm(const node_writer& a) {
    if (a.n.integer("transA", 0) != 0) refuse("A is transposed, which Arm NN's fully connected layer cannot");
    const std::int64_t columns = a.n.output(0).dims[1];
    product p{a.n.integer("transB", 0) != 0, float(a.n.real("alpha", 1)), false, {}};
    const float beta = float(a.n.real("beta", 1));
    const bool added = a.n.has_input(2) && beta != 0;
    const std::int64_t terms = added ? a.n.input(2).dims.elements() : 0;
    const bool in_row = added && (terms == 1 || a.n.input(2).dims[a.n.input(2).dims.rank - 1] == terms);
    if (added) (void)a.constant(2, "C");
    if (added && !in_row) refuse("C of shape " + to_string(a.n.input(2).dims) + " is not one row, as Arm NN's bias is");
    p.bias = added;
    p.bias_elements = [&] {
        std::vector<float> all(static_cast<std::size_t>(columns));
        for (std::int64_t k = 0; k < columns; ++k) all[std::size_t(k)] = beta * a.floats(2)[terms == 1 ? 0 : k];
        return all;
    };
    a.put(multiplied(a, a.input(0), p));
}
void write_matmul(const node_writer& a) {
    const shape &x = a.n.input(0).dims, &b = a.constant(1, "B");
    if (x.rank < 2 || b.rank != 2)
        refuse("it multiplies " + to_string(x) + " by " + to_string(b) + ", and Arm NN's layer by one matrix");
    a.put(multiplied(a, a.input(0, {x.elements(0, x.rank - 1), b[0]}), {}));
}
}  // namespace

writer_function find_convolution(std::string_view op) {
    static constexpr named_writer all[] = {
        {"Conv", write_conv}, {"ConvTranspose", write_conv_transpose}, {"Gemm", write_gemm}, {"MatMul", write_matmul}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
