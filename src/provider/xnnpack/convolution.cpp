// Convolutions.
#include "rules.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
namespace {
std::string refuse_conv(const node_view& n) {
    if (std::string why = needs_image(n); !why.empty()) return why;
    for (int k : {weights_of(n), bias_of(n)})
        if (n.has_input(k))
            if (std::string why = needs_constant(n, k); !why.empty()) return why;
    return {};
}
void lower_conv(lowering& l, const node_view& n) {
    convolution c;
    shape y;
    const int filters = weights_of(n), biases = bias_of(n);
    (void)convolution::read(n, c, y, filters, biases);
    const shape &x = n.input(0).dims, &w = n.input(filters).dims;
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
        filter = channels_last(l.elements(n, filters), {1, w[0], std::int64_t(area), 1});
    } else
        filter = channels_last(l.elements(n, filters), w);
    const int in = l.input(n, 0), out = l.output(n),
              weight = l.weights(n, std::move(filter_dims), std::move(filter), depthwise ? 3 : 0);
    int bias = -1;
    if (n.has_input(biases)) {
        const float* b = l.elements(n, biases);
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
}  // namespace

std::span<const rule> convolution_rules() {
    static constexpr rule rules[] = {
        {"Conv", refuse_conv, lower_conv},
        {"ConvTranspose", refuse_conv_transpose, lower_conv_transpose},
        {"QLinearConv", refuse_conv, lower_conv, operands::bytes},
    };
    return rules;
}
}  // namespace xnnpack_rules
}  // namespace v1
}  // namespace inlay
