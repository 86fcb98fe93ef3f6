// Convolutions and pools: on images with their channels last.
#include "lowering.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>
#include <inlay/onnx/pool.hpp>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace {
using order = qnn_lowering::order;
constexpr order last = order::channels_last;

void check(const verdict& v) {
    if (!v) refuse(std::string(v.reason));
}
void check_image(const node_view& n) {
    if (const int rank = n.input(0).dims.rank; rank != 4)
        refuse("it is over " + std::to_string(rank - 2) + " spatial axes, and QNN has it over 2 here");
}
// What is missing behind the input for windows at all outputs.
std::int64_t end_pad(std::int64_t in, std::int64_t out, std::int64_t reach, std::int64_t stride, std::int64_t before) {
    return std::max<std::int64_t>(0, (out - 1) * stride + reach - in - before);
}
using numbers = std::vector<std::int64_t>;

void lower_conv(qnn_lowering& l, const node_view& n) {
    check_image(n);
    convolution c;
    shape y;
    check(convolution::read(n, c, y));
    const shape& w = n.input(1).dims;  // [outputs, inputs of a group, height, width]
    const bool depthwise = c.group > 1 && w[1] == 1 && w[0] == c.group;
    numbers pads, strides, dilations;
    for (const int i : {0, 1}) {
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        pads.insert(pads.end(), {c.pads[i], end_pad(c.input[i], c.output[i], reach, c.strides[i], c.pads[i])});
        strides.push_back(c.strides[i]);
        dilations.push_back(c.dilations[i]);
    }
    constexpr std::array<int, 4> filters_last{2, 3, 1, 0};
    const int weights = l.weights(n, 1, w, filters_last);
    std::vector<int> inputs{l.input(n, 0, last), weights};
    if (n.has_input(2)) inputs.push_back(l.bias(n, 2, weights, w[0]));
    qnn_lowering::parameters list{l.list("stride", strides), l.list("pad_amount", pads, {2, 2}),
                                  l.list("dilation", dilations)};
    if (!depthwise) list.push_back(qnn_lowering::natural("group", c.group));
    l.add(depthwise ? "DepthWiseConv2d" : "Conv2d", std::move(inputs), {l.output(n, 0, last)}, std::move(list));
}
void lower_conv_transpose(qnn_lowering& l, const node_view& n) {
    check_image(n);
    transposed_convolution c;
    shape y;
    check(transposed_convolution::read(n, c, y));
    numbers pads, strides, more;
    for (const int i : {0, 1}) {
        if (c.dilations[i] != 1) refuse("QNN's transposed convolutions have no dilation");
        const std::int64_t all = c.strides[i] * (c.input[i] - 1) + c.kernel[i], cut = all - c.pads[i] - c.output[i];
        pads.insert(pads.end(), {c.pads[i], std::max<std::int64_t>(0, cut)});
        more.push_back(std::max<std::int64_t>(0, -cut));
        strides.push_back(c.strides[i]);
    }
    constexpr std::array<int, 4> filters_last{2, 3, 0, 1};
    const int weights = l.weights(n, 1, n.input(1).dims, filters_last);
    std::vector<int> inputs{l.input(n, 0, last), weights};
    if (n.has_input(2)) inputs.push_back(l.bias(n, 2, weights, y[1]));
    l.add("TransposeConv2d", std::move(inputs), {l.output(n, 0, last)},
          {l.list("stride", strides), l.list("pad_amount", pads, {2, 2}), l.list("output_padding", more),
           qnn_lowering::natural("group", c.group)});
}
// The image with its pads.
int padded(qnn_lowering& l, int x, const numbers& pads, qnn_program::parameter constant) {
    shape dims = l.dims(x);
    dims[1] += pads[0] + pads[1];
    dims[2] += pads[2] + pads[3];
    const numbers all{0, 0, pads[0], pads[1], pads[2], pads[3], 0, 0};
    constexpr int with_a_constant = 0;
    const int made = l.inner(dims, x);
    l.add("Pad", {x}, {made},
          {qnn_lowering::natural("scheme", with_a_constant), l.list("pad_amount", all, {4, 2}), constant});
    return made;
}
// Less than all that may be there: QNN's own pads are zeros on some processors.
qnn_program::parameter least_pad(const qnn_lowering& l, const node_view& n) {
    constexpr std::string_view name = "pad_constant_value";
    if (l.on_codes()) return qnn_lowering::integer(name, l.codes_of_input(n, 0)->type == element::i8 ? -128 : 0);
    l.require_half_floats();  // else there are graphs that cannot be finished
    return qnn_lowering::real(name, std::numeric_limits<float>::lowest());
}
// Along an axis with one window: its part in the image alone.
void cut_single_windows(pool_windows& p) {
    for (const int i : {1, 2})
        if (window_axis& a = p.axes[std::size_t(i)]; a.out == 1)
            a = {a.in, 1, a.taps(0, a.in) - a.taps(0, 0), a.in, 1, 0, 0};
}
// Whether QNN divides by how much of each window lies in the image. On an axis of one pixel it does not, nor does the
// simulator of chips with floats of 16 bits where the two sides have different pads.
bool counts_pixels(const qnn_lowering& l, const pool_windows& p) {
    const bool halves = l.has_half_floats() && !l.on_codes();
    return std::ranges::all_of(std::array{1, 2}, [&](int i) {
        const window_axis& a = p.axes[std::size_t(i)];
        const std::int64_t after = end_pad(a.in, a.out, a.kernel, a.stride, a.before);
        return (a.before == 0 && after == 0) || (a.in > 1 && (!halves || a.before == after));
    });
}
// Of a mean over whole windows, that over the pixels in them: each is multiplied by how many more a window has.
void give_mean_of_pixels(qnn_lowering& l, const pool_windows& p, int whole, int y) {
    const auto inside = [](const window_axis& a, std::int64_t out) { return a.taps(out, a.in) - a.taps(out, 0); };
    const window_axis &rows = p.axes[1], &columns = p.axes[2];
    std::vector<float> factors;
    for (std::int64_t i = 0; i < rows.out; ++i)
        for (std::int64_t j = 0; j < columns.out; ++j)
            factors.push_back(float(rows.kernel * columns.kernel) / float(inside(rows, i) * inside(columns, j)));
    l.add("ElementWiseMultiply", {whole, l.constant({1, rows.out, columns.out, 1}, factors)}, {y});
}
void lower_pool(qnn_lowering& l, const node_view& n) {
    check_image(n);
    if (n.has_output(1)) refuse("QNN's maxima come without their indices");
    pool_windows p;
    check(p.read(n));
    const bool mean = n.record.op == "AveragePool";
    if (mean && !p.include_padding && p.axes[1].dilation == 1 && p.axes[2].dilation == 1) cut_single_windows(p);
    numbers pads, strides, kernel;
    for (const std::size_t i : {1, 2}) {
        const window_axis& a = p.axes[i];
        if (a.dilation != 1) refuse("QNN's pools have no dilation");
        const std::int64_t after = end_pad(a.in, a.out, a.kernel, a.stride, a.before);
        if (a.before >= a.kernel || after >= a.kernel) refuse("its padding is as long as the window");
        if (mean && p.include_padding && after > a.after) refuse("QNN counts what lies behind the padding");
        if (mean && l.has_half_floats() && a.kernel > a.in && a.before != after)
            refuse("QNN computes other means of windows that are longer than the image");
        pads.insert(pads.end(), {a.before, after});
        strides.push_back(a.stride);
        kernel.push_back(a.kernel);
    }
    int x = l.input(n, 0, last);
    const numbers no_pads(4, 0);
    if (!mean && pads != no_pads && !l.is_never_negative(n, 0)) {
        x = padded(l, x, pads, least_pad(l, n));
        pads = no_pads;
    }
    const bool whole = mean && !p.include_padding && !counts_pixels(l, p);
    if (whole && l.on_codes()) refuse("QNN counts the pads beside a single pixel");
    if (whole && l.has_half_floats()) {  // whose own pads are wrong for some windows
        x = padded(l, x, pads, qnn_lowering::real("pad_constant_value", 0));
        pads = no_pads;
    }
    qnn_lowering::parameters list{l.list("filter_size", kernel), l.list("stride", strides),
                                  l.list("pad_amount", pads, {2, 2})};
    if (mean) list.push_back(qnn_lowering::truth("count_pad_for_edges", p.include_padding || whole));
    const int y = l.output(n, 0, last), made = whole ? l.inner(l.dims(y), y) : y;
    l.add(mean ? "PoolAvg2d" : "PoolMax2d", {x}, {made}, std::move(list));
    if (whole) give_mean_of_pixels(l, p, made, y);
}
void lower_global_pool(qnn_lowering& l, const node_view& n) {
    check_image(n);
    const shape& x = n.input(0).dims;
    const numbers window{x[2], x[3]}, no_pads(4, 0);
    const bool mean = n.record.op == "GlobalAveragePool";
    const int in = l.input(n, 0, last);
    l.add(mean ? "PoolAvg2d" : "PoolMax2d", {in}, {l.output(n, 0, last)},
          {l.list("filter_size", window), l.list("stride", window), l.list("pad_amount", no_pads, {2, 2})});
}
}  // namespace

std::span<const qnn_rule> qnn_convolution_rules() {
    static constexpr qnn_rule rules[] = {
        {"AveragePool", lower_pool},
        {"Conv", lower_conv},
        {"ConvTranspose", lower_conv_transpose},
        {"GlobalAveragePool", lower_global_pool},
        {"GlobalMaxPool", lower_global_pool},
        {"MaxPool", lower_pool},
    };
    return rules;
}
}  // namespace v1
}  // namespace inlay
