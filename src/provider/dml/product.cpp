// Conv, ConvTranspose, Gemm and MatMul.
#include "product.hpp"
#include <inlay/onnx/conv_transpose.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
void put_convolution(const node_writer& a, DML_CONVOLUTION_DIRECTION direction, spatial s, std::int64_t groups) {
    const tensor_info y = a.output_info();
    const stream x = a.input(0, image_dims(a.dims(0))), w = a.input(1, image_dims(a.dims(1)));
    if (x.info.type != y.type || w.info.type != y.type) refuse("image, weights and result are of different types");
    operator_maker m(a.to);
    const dml_tensor image = m.in(x), filter = m.in(w);
    shape row = shape::of_rank(x.info.dims.rank, 1);
    row[1] = y.dims[1];
    const dml_tensor bias = a.n.has_input(2) ? m.in(a.input(2, row)) : m.absent();
    const tensor_info result = with_dims(y, image_dims(y.dims));
    const auto axes = UINT(s.strides.size());
    const dml_convolution d{image,
                            filter,
                            bias,
                            m.out(result),
                            DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                            direction,
                            axes,
                            m.list(std::move(s.strides)),
                            m.list(std::move(s.dilations)),
                            m.list(std::move(s.start)),
                            m.list(std::move(s.end)),
                            m.list(std::move(s.more)),
                            UINT(groups),
                            nullptr};
    a.put(m.made(DML_OPERATOR_CONVOLUTION, &d));
}
void write_conv(const node_writer& a) {
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y));
    put_convolution(a, DML_CONVOLUTION_DIRECTION_FORWARD, forward_axes(c), c.group);
}
void write_conv_transpose(const node_writer& a) {
    transposed_convolution c;
    shape y;
    require(transposed_convolution::read(a.n, c, y));
    spatial s(c);
    for (int i = 0; i < c.input.rank; ++i) {
        const std::int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1,
                           end = c.strides[i] * (c.input[i] - 1) + reach - c.pads[i] - c.output[i];
        s.add(c.strides[i], c.dilations[i], c.pads[i], std::max<std::int64_t>(end, 0), std::max<std::int64_t>(-end, 0));
    }
    put_convolution(a, DML_CONVOLUTION_DIRECTION_BACKWARD, std::move(s), c.group);
}

struct product {
    stream a, b;
    std::optional<stream> c{};
    shape batch{};  // of at most two dimensions
    bool a_by_column = false, b_by_column = false;
    float alpha = 1, beta = 1;
};
void put_product(const node_writer& a, const product& p) {
    const auto matrix = [](const stream& s) {
        return std::pair(s.info.dims[s.info.dims.rank - 2], s.info.dims[s.info.dims.rank - 1]);
    };
    const auto [ra, ca] = matrix(p.a);
    const auto [rb, cb] = matrix(p.b);
    const element type = a.output_info().type;
    for (const stream& s : {p.a, p.b, p.c.value_or(p.a)})
        if (s.info.type != type) refuse("its operands are of different types");
    operator_maker m(a.to);
    const dml_tensor left = m.in_as(p.a, four(p.batch, ra, ca)), right = m.in_as(p.b, four(p.batch, rb, cb));
    const shape y = four(p.batch, p.a_by_column ? ca : ra, p.b_by_column ? rb : cb);
    const dml_tensor more = p.c ? m.in_as(*p.c, y) : m.absent();
    const dml_gemm d{left, right, more, m.out({y, type}), p.a_by_column, p.b_by_column, p.alpha, p.beta, nullptr};
    a.put(m.made(DML_OPERATOR_GEMM, &d));
}
void write_gemm(const node_writer& a) {
    product p{a.input(0), a.input(1)};
    if (a.n.has_input(2)) {
        if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
        p.c = a.input(2);
    }
    p.a_by_column = a.n.integer("transA", 0) != 0;
    p.b_by_column = a.n.integer("transB", 0) != 0;
    p.alpha = a.real("alpha", 1);
    p.beta = a.real("beta", 1);
    put_product(a, p);
}
void write_matmul(const node_writer& a) {
    const matrices m(a.dims(0), a.dims(1));
    put_product(a, {.a = a.input(0, m.x), .b = a.input(1, m.w), .batch = m.batch});
}
}  // namespace

std::span<const named_writer> product_writers() {
    static constexpr named_writer all[] = {
        {"Conv", write_conv}, {"ConvTranspose", write_conv_transpose}, {"Gemm", write_gemm}, {"MatMul", write_matmul}};
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
