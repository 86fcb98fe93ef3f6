// Conv, ConvTranspose, MatMul and Gemm.
#include "program.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace {
integers list(const shape& s) { return {s.begin(), s.end()}; }
// What all convolutions are told. `end`: padding at the end of each axis.
arguments window_arguments(const mil_node& a, const convolution_axes& c, const integers& end) {
    integers pads;
    for (std::size_t i = 0; i < end.size(); ++i) pads.insert(pads.end(), {c.pads[int(i)], end[i]});
    arguments all{{"weight", a.input(1)}, {"strides", list(c.strides)},     {"pad_type", std::string_view("custom")},
                  {"pad", pads},          {"dilations", list(c.dilations)}, {"groups", c.group}};
    if (a.n.has_input(2)) all.push_back({"bias", a.input(2)});
    return all;
}
void require_filters(const mil_node& a) {
    require_floats(a);
    if (a.rank() > 5) refuse("it is over " + std::to_string(a.rank() - 2) + " spatial axes, and Core ML's over 1 to 3");
    require_constant(a, 1, "W");
    if (a.n.has_input(2)) require_constant(a, 2, "B");
}
void write_conv(const mil_node& a) {
    require_filters(a);
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y));
    integers end;  // what the strides leave out counts as none
    for (int i = 0; i < c.kernel.rank; ++i) {
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        end.push_back(std::max<std::int64_t>((c.output[i] - 1) * c.strides[i] + reach - c.input[i] - c.pads[i], 0));
    }
    a.put_operation("conv", window_arguments(a, c, end));
}
void write_conv_transpose(const mil_node& a) {
    require_filters(a);
    transposed_convolution c;
    shape y;
    require(transposed_convolution::read(a.n, c, y));
    integers end;
    for (int i = 0; i < c.kernel.rank; ++i) {
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        end.push_back(c.strides[i] * (c.input[i] - 1) + reach - c.pads[i] - c.output[i]);
        if (end.back() < 0)
            refuse("its result is longer than what its kernel reaches, which Core ML's conv_transpose does not make");
    }
    a.put_operation("conv_transpose", window_arguments(a, c, end));
}

variable multiplied(const mil_node& a, const variable& x, const variable& y, bool transpose_x, bool transpose_y,
                    const shape& dims) {
    return a.to.operation("matmul", {{"x", x}, {"y", y}, {"transpose_x", transpose_x}, {"transpose_y", transpose_y}},
                          with_dims(x.info, dims));
}
void write_matmul(const mil_node& a) {
    require_floats(a);
    shape x = a.n.input(0).dims, y = a.n.input(1).dims;  // a vector is a row on the left, a column on the right
    if (x.rank == 1) x = {1, x[0]};
    if (y.rank == 1) y = {y[0], 1};
    shape left = x, right = y, dims;
    left.rank -= 2;
    right.rank -= 2;
    if (!broadcast(left, right, dims)) refuse("its matrices do not broadcast");
    dims.push_back(x[x.rank - 2]);
    dims.push_back(y[y.rank - 1]);
    a.put(multiplied(a, a.input(0, x), a.input(1, y), false, false, dims));
}
void write_gemm(const mil_node& a) {
    require_floats(a);
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    variable y = multiplied(a, a.input(0), a.input(1), a.n.integer("transA", 0) != 0, a.n.integer("transB", 0) != 0,
                            a.n.output(0).dims);
    const auto scaled = [&](const variable& x, std::string_view by) {
        const scalar factor = a.number(by, 1);
        return factor.value == 1 ? x : a.to.operation("mul", {{"x", x}, {"y", factor}}, x.info);
    };
    y = scaled(y, "alpha");
    if (a.n.has_input(2) && a.real("beta", 1) != 0) y = combined(a.to, "add", y, scaled(a.input(2), "beta"));
    a.put(y);
}
}  // namespace

std::span<const mil_rule> product_rules() {
    static constexpr mil_rule all[] = {
        {"Conv", write_conv}, {"ConvTranspose", write_conv_transpose}, {"MatMul", write_matmul}, {"Gemm", write_gemm}};
    return all;
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay
