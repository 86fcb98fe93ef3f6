// Conv, ConvTranspose, and products.
#include "writer.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// Of a DPU: its engine of convolutions, and that of depthwise ones and pools (target_factory of Vitis AI 3.5).
constexpr std::int64_t most_of_kernel = 16, most_of_stride = 8, most_of_transposed_stride = 16, most_of_depthwise = 256;
// Of the first: channels at a time, and rows of so many in the buffer that a kernel lies in.
constexpr std::int64_t parallel = 16, most_of_rows = 2048, most_of_channels = 256 * parallel;

void add_bias(const node_writer& a, std::int64_t channels, float scale, xir_inputs& inputs) {
    if (!a.n.has_input(2)) return;
    const bool one = a.constant(2, "the bias").elements() == 1;
    std::vector<float> all;
    for (std::int64_t c = 0; c < channels; ++c) all.push_back(scale * a.floats(2)[one ? 0 : c]);
    inputs["bias"] = {a.to.bias(all).op};
}
xir_window window_of(const convolution_axes& c, const std::array<std::int64_t, 2>& ends) {
    xir_window w;
    w.kernel = {c.kernel[0], c.kernel[1]};
    w.strides = {c.strides[0], c.strides[1]};
    w.before = {c.pads[0], c.pads[1]};
    w.after = ends;
    return w;
}
xir_attributes attributes_of(const convolution_axes& c, const xir_window& w) {
    xir_attributes a = w.attributes();
    a.set("dilation", xir_integers{std::int32_t(c.dilations[1]), std::int32_t(c.dilations[0])});
    return a;
}
void write_conv(const node_writer& a) {
    a.require_image();
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y));
    const shape& w = a.constant(1, "the weights");  // [outputs, inputs of a group, rows, columns]
    const bool depthwise = c.group > 1;
    if (depthwise && (w[1] != 1 || w[0] != c.group))
        refuse("it has " + std::to_string(c.group) + " groups, and XIR's operations one, or one for each channel");
    std::array<std::int64_t, 2> ends{};
    for (int i : {0, 1}) {
        if (c.pads[i] < 0) refuse("a pad is negative");
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        ends[std::size_t(i)] =
            std::max<std::int64_t>(0, (c.output[i] - 1) * c.strides[i] + reach - c.input[i] - c.pads[i]);
    }
    const xir_window window = window_of(c, ends);
    a.require_on_dpu("the kernel", window.kernel, depthwise ? most_of_depthwise : most_of_kernel);
    a.require_on_dpu("the stride", window.strides, depthwise ? most_of_depthwise : most_of_stride);
    if (!depthwise) {
        const std::int64_t rows = (w[1] + parallel - 1) / parallel * w[2] * w[3];
        a.refuse_on_dpu(rows > most_of_rows, "its kernel takes " + std::to_string(rows) +
                                                 " rows of a DPU's buffer, of " + std::to_string(most_of_rows));
        const std::int64_t dilation = std::max(c.dilations[0], c.dilations[1]);
        a.refuse_on_dpu(w[0] > most_of_channels || dilation > most_of_channels / std::max<std::int64_t>(1, w[1]),
                        "it has more channels, or these times its dilation, than the " +
                            std::to_string(most_of_channels) + " of a DPU");
    }
    // [outputs, rows, columns, inputs], and of those for each channel [1, rows, columns, channels]
    const shape from = depthwise ? shape{1, w[0], w[2], w[3]} : w;
    const shape dims{from[0], from[2], from[3], from[1]};
    xir_inputs inputs{{"input", {a.image().op}},
                      {"weights", {a.to.constant(a.n.input_id(1), dims, channels_last(a.floats(1), from)).op}}};
    add_bias(a, w[0], 1, inputs);
    a.put(a.to.made(depthwise ? "depthwise-conv2d" : "conv2d", attributes_of(c, window), inputs,
                    {a.output_info().dims, true}));
}
void write_conv_transpose(const node_writer& a) {
    a.require_image();
    transposed_convolution c;
    shape y;
    require(transposed_convolution::read(a.n, c, y));
    if (c.group != 1) refuse("it has " + std::to_string(c.group) + " groups, and XIR's operation one");
    std::array<std::int64_t, 2> ends{};
    for (int i : {0, 1}) {
        if (c.dilations[i] != 1) refuse("it is dilated, and XIR's operation is not");
        const std::int64_t end = c.strides[i] * (c.input[i] - 1) + c.kernel[i] - c.pads[i] - c.output[i];
        if (end < 0 || c.pads[i] < 0) refuse("its result is longer than what its kernel reaches");
        ends[std::size_t(i)] = end;
    }
    const xir_window window = window_of(c, ends);
    a.require_on_dpu("the kernel", window.kernel, most_of_kernel);
    a.require_on_dpu("the stride", window.strides, most_of_transposed_stride);
    const shape& w = a.constant(1, "the weights");  // [inputs, outputs, rows, columns]
    xir_inputs inputs{
        {"input", {a.image().op}},
        {"weights", {a.to.constant(a.n.input_id(1), {w[1], w[2], w[3], w[0]}, outputs_first(a.floats(1), w)).op}}};
    add_bias(a, w[1], 1, inputs);
    a.put(a.to.made("transposed-conv2d", attributes_of(c, window), inputs, {a.output_info().dims, true}));
}

xir_attributes of_matrices(bool second_is_transposed) {
    xir_attributes a;
    a.set("transpose_a", false).set("transpose_b", second_is_transposed);
    return a;
}
// rows [M, K] times the constant input 1, [N, K] where `by_column`, else [K, N]
void put_product(const node_writer& a, bool by_column, float alpha, float beta) {
    const shape &x = a.n.input(0).dims, &b = a.constant(1, "B");
    const std::int64_t columns = by_column ? b[0] : b[1], depth = by_column ? b[1] : b[0];
    std::vector<float> weights(std::size_t(columns * depth));  // [N, K]
    const float* const from = a.floats(1);
    for (std::int64_t o = 0; o < columns; ++o)
        for (std::int64_t i = 0; i < depth; ++i)
            weights[std::size_t(o * depth + i)] = alpha * from[by_column ? o * depth + i : i * columns + o];
    const stream rows = a.to.plain(a.to.reshaped(a.input(0), {{x.elements() / depth, depth}}));
    xir_inputs inputs{{"input", {rows.op, a.to.constant(a.n.input_id(1), {columns, depth}, weights).op}}};
    add_bias(a, columns, beta, inputs);
    a.put(a.to.made("matmul", of_matrices(true), inputs, {{rows.info.dims[0], columns}}));
}
void write_gemm(const node_writer& a) {
    if (a.n.integer("transA", 0) != 0) refuse("A is transposed, which is not written here");
    if (a.constant(1, "B").rank != 2) refuse("B is no matrix");
    if (a.n.has_input(2))
        if (const shape& c = a.constant(2, "C"); c.elements() != 1 && c[c.rank - 1] != c.elements())
            refuse("C of shape " + to_string(c) + " is not one row, as XIR's bias is");
    const float alpha = a.real("alpha", 1), beta = a.real("beta", 1);
    a.refuse_on_dpu(alpha != 1 || beta != 1, "products of codes have no alpha and beta");
    put_product(a, a.n.integer("transB", 0) != 0, alpha, beta);
}
void write_matmul(const node_writer& a) {
    const shape &x = a.n.input(0).dims, &b = a.n.input(1).dims;
    if (a.n.is_constant(1) && b.rank == 2 && x.rank >= 2) return put_product(a, false, 1, 1);
    if (x.rank < 2 || x.rank != b.rank || !std::equal(x.begin(), x.end() - 2, b.begin()))
        refuse("it multiplies " + to_string(x) + " by " + to_string(b) + ", and XIR matrices of equal batches");
    a.put(a.to.made("matmul", of_matrices(false), {{"input", {a.plain(0).op, a.plain(1).op}}}, a.output_info()));
}
}  // namespace

writer_function find_convolution(std::string_view op) {
    static constexpr named_writer all[] = {
        {"Conv", write_conv}, {"ConvTranspose", write_conv_transpose}, {"Gemm", write_gemm}, {"MatMul", write_matmul}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay
