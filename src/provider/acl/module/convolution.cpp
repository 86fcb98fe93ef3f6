// Conv, and products with constant matrices.
#include "writer.hpp"
#include <inlay/onnx/conv.hpp>
#include <arm_compute/runtime/NEON/functions/NEConvolutionLayer.h>
#include <arm_compute/runtime/NEON/functions/NEDepthwiseConvolutionLayer.h>
#include <arm_compute/runtime/NEON/functions/NEFullyConnectedLayer.h>

namespace inlay {
inline namespace v1 {
namespace {
// Padding at an end that makes as many results; what the strides leave out counts as none.
unsigned pad_at_end(const convolution_axes& c, int axis) {
    const std::int64_t reach = (c.kernel[axis] - 1) * c.dilations[axis] + 1;
    return unsigned(
        std::max<std::int64_t>((c.output[axis] - 1) * c.strides[axis] + reach - c.input[axis] - c.pads[axis], 0));
}
arm::PadStrideInfo windows_of(const convolution_axes& c) {
    return {unsigned(c.strides[1]),
            unsigned(c.strides[0]),
            unsigned(c.pads[1]),
            pad_at_end(c, 1),
            unsigned(c.pads[0]),
            pad_at_end(c, 0),
            arm::DimensionRoundingType::FLOOR};
}
void write_conv(const node_writer& a) {
    a.require_image();
    const shape& w = a.constant(1, "W");
    const bool has_bias = a.n.has_input(2);
    if (has_bias) (void)a.constant(2, "B");
    convolution c;
    shape dims;
    require(convolution::read(a.n, c, dims));
    const arm::PadStrideInfo windows = windows_of(c);
    const arm::Size2D dilation{std::size_t(c.dilations[1]), std::size_t(c.dilations[0])};
    const stream x = a.input(0), y = a.to.tensor(a.output_info());
    const std::optional<stream> bias = a.weights_if(has_bias, 2);
    if (c.group > 1 && c.group == a.n.input(0).dims[1]) {  // output channel i * M + m sees input channel i, there too
        const stream weights = a.to.weights(a.n.input_id(1), info_of({w[0], w[2], w[3]}));
        a.to.call<arm::NEDepthwiseConvolutionLayer>(x, weights, bias, y, windows, unsigned(w[0] / c.group),
                                                    arm::ActivationLayerInfo(), dilation);
    } else {
        const stream weights = a.to.weights(a.n.input_id(1), info_of(w));
        a.to.call<arm::NEConvolutionLayer>(x, weights, bias, y, windows, arm::WeightsInfo(), dilation,
                                           arm::ActivationLayerInfo(), a.to.fast_math(), unsigned(c.group));
    }
    a.put(y);
}

std::vector<float> scaled(const float* x, std::int64_t count, float factor) {
    std::vector<float> all(x, x + count);
    for (float& e : all) e *= factor;
    return all;
}
void write_gemm(const node_writer& a) {
    if (a.n.integer("transA", 0) != 0) refuse("A is transposed, which ACL's fully connected layer cannot");
    const shape& b = a.constant(1, "B");
    const std::int64_t columns = a.n.output(0).dims[1];
    const float alpha = float(a.n.real("alpha", 1)), beta = float(a.n.real("beta", 1));
    arm::FullyConnectedLayerInfo layer;
    layer.transpose_weights = a.n.integer("transB", 0) != 0;
    std::optional<stream> bias;
    if (a.n.has_input(2) && beta != 0) {
        const shape& c = a.constant(2, "C");
        const std::int64_t terms = c.elements();
        if (terms != 1 && c[c.rank - 1] != terms)
            refuse("C of shape " + to_string(c) + " is not one row, as ACL's bias is");
        bias = a.to.weights(a.n.input_id(2), info_of({columns}), [=](const float* row) {
            return terms == 1 ? std::vector<float>(std::size_t(columns), beta * *row) : scaled(row, columns, beta);
        });
    }
    const stream weights = a.to.weights(a.n.input_id(1), info_of(b),
                                        [&, count = b.elements()](const float* w) { return scaled(w, count, alpha); });
    const stream x = a.input(0), y = a.to.tensor(a.output_info());
    a.to.call<arm::NEFullyConnectedLayer>(x, weights, bias, y, layer);
    a.put(y);
}
void write_matmul(const node_writer& a) {
    const shape &x = a.n.input(0).dims, &b = a.constant(1, "B");
    if (x.rank < 2 || b.rank != 2)
        refuse("it multiplies " + to_string(x) + " by " + to_string(b) + ", and ACL's function by one matrix");
    arm::FullyConnectedLayerInfo layer;
    layer.transpose_weights = false;
    const std::int64_t rows = x.elements(0, x.rank - 1);
    const stream weights = a.to.weights(a.n.input_id(1), info_of(b)), matrix = a.input(0, {rows, b[0]}),
                 y = a.to.tensor(info_of({rows, b[1]}));
    a.to.call<arm::NEFullyConnectedLayer>(matrix, weights, std::optional<stream>(), y, layer);
    a.put(y);
}
}  // namespace

writer_function find_convolution(std::string_view op) {
    static constexpr named_writer all[] = {{"Conv", write_conv}, {"Gemm", write_gemm}, {"MatMul", write_matmul}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
