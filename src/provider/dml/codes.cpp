// Codes of 8 bits: made of floats and read as floats, and convolutions and products of them.
#include "product.hpp"
#include <inlay/onnx/quantize_linear.hpp>
#include <lowering/quantisation.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
// --- QuantizeLinear and DequantizeLinear
// x as [outer, blocks, elements of a block, inner], of which scales and zero points are read by strides.
struct scaled_dims {
    shape sizes, strides;
    explicit scaled_dims(const node_view& n) {
        scaling s;
        require(scaling::read(n, s));
        const std::int64_t span = s.length * s.inner, all = n.input(0).dims.elements();
        if (s.length % s.block != 0) refuse("its last block is a smaller one");
        sizes = {all / span, s.length / s.block, s.block, s.inner};
        strides = {s.outer_step, s.axis_step, 0, s.inner_step};
    }
};
// Scales or zero points, one beside each element of x.
dml_tensor beside(operator_maker& m, const stream& s, const scaled_dims& d) {
    shape strides = d.strides;
    if (s.info.dims.elements() == 1) strides = shape::of_rank(4, 0);
    return m.in(s, d.sizes, strides);
}
template <DML_OPERATOR_TYPE Type> void write_scaled(const node_writer& a) {
    if (a.n.integer("precision", 0) != 0) refuse("its precision is told");
    const tensor_info y = a.output_info();
    const scaled_dims d(a.n);
    const element codes = Type == DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR ? y.type : a.n.input(0).type;
    const stream scale = a.input(1), zero = a.n.has_input(2) ? a.input(2) : a.to.number(codes, 0);
    if (zero.info.type != codes) refuse("its zero point is of another type than its codes");
    operator_maker m(a.to);
    const dml_tensor x = m.in(a.input(0, d.sizes)), by = beside(m, scale, d), from = beside(m, zero, d);
    const dml_linear_codes o{x, by, from, m.out({d.sizes, y.type})};
    a.put(m.made(Type, &o));
}
void write_dynamic_quantize(const node_writer& a) {
    const stream x = a.input(0);
    const shape one = shape::of_rank(x.info.dims.rank, 1);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), y = m.out({x.info.dims, element::u8}), scale = m.out({one, x.info.type}),
                     zero = m.out({one, element::u8});
    const dml_dynamic_quantize d{in, y, scale, zero};
    const std::vector<stream> made = m.all_made(DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, &d);
    for (int k = 0; k < a.n.output_count(); ++k)
        if (a.n.has_output(k)) a.put(made[std::size_t(k)], k);
}

// --- products
// Input k: one number, or one for each place of the axis of `dims` that is not 1.
dml_tensor parameter(const node_writer& a, operator_maker& m, int k, const shape& dims) {
    if (!a.n.has_input(k)) return m.absent();
    const shape& own = a.dims(k);
    if (own.elements() == 1) return m.in(a.input(k, shape::of_rank(dims.rank, 1)));
    if (own.rank != 1 || own[0] != dims.elements())
        refuse("input " + std::to_string(k) + " has neither one number nor one for each channel, row or column");
    return m.in(a.input(k, dims));
}
dml_tensor codes(const node_writer& a, operator_maker& m, int k, const shape& dims) {
    const stream x = a.input(k);
    if (!is_byte(x.info.type)) refuse("it is of type " + std::string(name_of(x.info.type)));
    return m.in_as(a.to.reshaped(x, {dims, x.info.type}), dims);
}
// Of X, W and Y in DirectML's two spatial axes.
struct code_images {
    shape x, w, y, channels;
    spatial axes;
    std::int64_t groups;
    code_images(const node_writer& a, const convolution& c, int weights)
        : x(image_dims(a.dims(0))),
          w(image_dims(a.dims(weights))),
          y(image_dims(a.output_info().dims)),
          channels{1, y[1], 1, 1},
          axes(forward_axes(c)),
          groups(c.group) {
        if (x.rank != 4) refuse("it is over 3 spatial axes, and DirectML's operator over 2");
    }
};
void write_code_convolution(const node_writer& a) {
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y, 3, 8));
    code_images i(a, c, 3);
    operator_maker m(a.to);
    const dml_tensor x = codes(a, m, 0, i.x), x_scale = parameter(a, m, 1, i.channels),
                     x_zero = parameter(a, m, 2, i.channels), w = codes(a, m, 3, i.w),
                     w_scale = parameter(a, m, 4, i.channels), w_zero = parameter(a, m, 5, i.channels),
                     bias = a.n.has_input(8) ? m.in(a.input(8, i.channels)) : m.absent(),
                     y_scale = parameter(a, m, 6, i.channels), y_zero = parameter(a, m, 7, i.channels);
    const dml_codes_convolution d{x,
                                  x_scale,
                                  x_zero,
                                  w,
                                  w_scale,
                                  w_zero,
                                  bias,
                                  y_scale,
                                  y_zero,
                                  m.out({i.y, a.output_info().type}),
                                  UINT(i.axes.strides.size()),
                                  m.list(i.axes.strides),
                                  m.list(i.axes.dilations),
                                  m.list(i.axes.start),
                                  m.list(i.axes.end),
                                  UINT(i.groups)};
    a.put(m.made(DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, &d));
}
void write_integer_convolution(const node_writer& a) {
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y, 1, 0));
    code_images i(a, c, 1);
    operator_maker m(a.to);
    const dml_tensor x = codes(a, m, 0, i.x), x_zero = parameter(a, m, 2, i.channels), w = codes(a, m, 1, i.w),
                     w_zero = parameter(a, m, 3, i.channels);
    const dml_integer_convolution d{x,
                                    x_zero,
                                    w,
                                    w_zero,
                                    m.out({i.y, a.output_info().type}),
                                    UINT(i.axes.strides.size()),
                                    m.list(i.axes.strides),
                                    m.list(i.axes.dilations),
                                    m.list(i.axes.start),
                                    m.list(i.axes.end),
                                    UINT(i.groups)};
    a.put(m.made(DML_OPERATOR_CONVOLUTION_INTEGER, &d));
}
// Rows of A, where they have numbers of their own, are those of its only matrix.
void require_one_matrix(const node_writer& a, std::initializer_list<int> parameters) {
    for (int k : parameters)
        if (a.n.has_input(k) && a.dims(k).elements() != 1 && a.rank() != 2)
            refuse("the rows of more than one matrix have numbers of their own");
}
shape rows_of(const shape& product) { return {1, 1, product[2], 1}; }
shape columns_of(const shape& product) { return {1, 1, 1, product[3]}; }
void write_code_product(const node_writer& a) {
    require_one_matrix(a, {1, 2, 6, 7});
    const matrices s(a.dims(0), a.dims(3));
    const shape y = s.product(), rows = rows_of(y), columns = columns_of(y);
    operator_maker m(a.to);
    const auto matrix = [&](int k, const shape& own, const shape& broadcast) {
        return m.in_as(a.input(k, own), broadcast);
    };
    const dml_tensor left = matrix(0, s.x, s.left()), left_scale = parameter(a, m, 1, rows),
                     left_zero = parameter(a, m, 2, rows), right = matrix(3, s.w, s.right()),
                     right_scale = parameter(a, m, 4, columns), right_zero = parameter(a, m, 5, columns),
                     y_scale = parameter(a, m, 6, rows), y_zero = parameter(a, m, 7, rows);
    const dml_codes_product d{
        left, left_scale, left_zero, right, right_scale, right_zero, y_scale, y_zero, m.out({y, a.output_info().type})};
    a.put(m.made(DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, &d));
}
void write_integer_product(const node_writer& a) {
    require_one_matrix(a, {2});
    const matrices s(a.dims(0), a.dims(1));
    const shape y = s.product();
    operator_maker m(a.to);
    const dml_tensor left = m.in_as(a.input(0, s.x), s.left()), left_zero = parameter(a, m, 2, rows_of(y)),
                     right = m.in_as(a.input(1, s.w), s.right()), right_zero = parameter(a, m, 3, columns_of(y));
    const dml_integer_product d{left, left_zero, right, right_zero, m.out({y, a.output_info().type})};
    a.put(m.made(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, &d));
}
}  // namespace

std::span<const named_writer> code_writers() {
    static constexpr named_writer all[] = {
        {"ConvInteger", write_integer_convolution},
        {"DequantizeLinear", write_scaled<DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR>},
        {"DynamicQuantizeLinear", write_dynamic_quantize},
        {"MatMulInteger", write_integer_product},
        {"QLinearConv", write_code_convolution},
        {"QLinearMatMul", write_code_product},
        {"QuantizeLinear", write_scaled<DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR>},
    };
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
