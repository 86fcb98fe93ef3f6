// Convolutions and matmul, of floats and of quantized values, and recurrent networks.
#include "writer.hpp"
#include <inlay/onnx/conv.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
using namespace lowering;
namespace {
// For all batches: [batch, batch, rows, columns].
shape four(const shape& batch, std::int64_t rows, std::int64_t columns) {
    shape d = shape::of_rank(2, 1);
    for (int i = 0; i < batch.rank; ++i) d[2 - batch.rank + i] = batch[i];
    d.push_back(rows);
    d.push_back(columns);
    return d;
}
// The operands of MatMul as matrices in as few batches as they are.
struct matrices {
    shape x, w, batch{};
    matrices(const shape& of_x, const shape& of_w) : x(of_x), w(of_w) {
        if (x.rank < 1 || w.rank < 1) refuse("it multiplies a number");
        if (x.rank == 1) x = {1, x[0]};
        if (w.rank == 1) w = {w[0], 1};
        if (w.rank == 2 && x.rank > 2) x = {x.elements(0, x.rank - 1), x[x.rank - 1]};
        shape left = x, right = w;
        left.rank -= 2;
        right.rank -= 2;
        if (left == right && left.rank > 2) {
            batch = {left.elements()};
            x = {batch[0], x[left.rank], x[left.rank + 1]};
            w = {batch[0], w[left.rank], w[left.rank + 1]};
        } else if (!broadcast(left, right, batch) || batch.rank > 2)
            refuse("it multiplies " + to_string(x) + " by " + to_string(w) +
                   ", whose batches DirectML gets as two dimensions at most");
    }
    shape left() const { return four(batch, x[x.rank - 2], x[x.rank - 1]); }
    shape right() const { return four(batch, w[w.rank - 2], w[w.rank - 1]); }
    shape product() const { return four(batch, x[x.rank - 2], w[w.rank - 1]); }
};
// One number, or one for each place of the axis of `dims` that is not 1.
dml_tensor parameter(dml_operator& o, const std::optional<operand>& x, const shape& dims) {
    if (!x) return o.absent();
    if (x->dims.elements() == 1) return o.in(*x, shape::of_rank(dims.rank, 1));
    if (x->dims.rank != 1 || x->dims[0] != dims.elements())
        refuse("a scale or a zero point is neither one number nor one for each channel, row or column");
    return o.in(*x, dims);
}
}  // namespace

window_lists::window_lists(std::span<const window_axis> axes) {
    const auto add = [this](const window_axis& w) {
        kernel.push_back(UINT(w.kernel));
        strides.push_back(UINT(w.stride));
        dilations.push_back(UINT(w.dilation));
        start.push_back(UINT(w.before));
        end.push_back(UINT(std::max<std::int64_t>(w.after, 0)));
        more.push_back(UINT(std::max<std::int64_t>(-w.after, 0)));
    };
    if (axes.size() == 1) add({});
    for (const window_axis& w : axes) add(w);
}

void dml_writer::convolve(DML_CONVOLUTION_DIRECTION direction, const operand& x, const operand& w,
                          const std::optional<operand>& bias, const operand& y, std::span<const window_axis> window,
                          std::int64_t groups) {
    const window_lists l(window);
    shape row = shape::of_rank(image_dims(x.dims).rank, 1);
    row[1] = y.dims[1];
    dml_operator o(*this);
    const dml_tensor image = o.in(x, image_dims(x.dims)), filter = o.in(w, image_dims(w.dims)), shift = o.in(bias, row),
                     result = o.out(y, image_dims(y.dims));
    o.make(DML_OPERATOR_CONVOLUTION,
           dml_convolution{image, filter, shift, result, DML_CONVOLUTION_MODE_CROSS_CORRELATION, direction, l.axes(),
                           l.strides.data(), l.dilations.data(), l.start.data(), l.end.data(), l.more.data(),
                           UINT(groups), nullptr});
}
void dml_writer::write(const conv_prim& p) {
    convolve(DML_CONVOLUTION_DIRECTION_FORWARD, p.x, p.w, p.bias, p.y, p.window, p.groups);
}
void dml_writer::write(const deconv_prim& p) {
    convolve(DML_CONVOLUTION_DIRECTION_BACKWARD, p.x, p.w, p.bias, p.y, p.window, p.groups);
}
void dml_writer::write(const gemm_prim& p) {
    const auto matrix = [](const shape& s) { return four({}, s[0], s[1]); };
    const shape y = matrix(p.y.dims);
    dml_operator o(*this);
    const dml_tensor a = o.in(p.a, matrix(p.a.dims)), b = o.in(p.b, matrix(p.b.dims)),
                     c = p.c ? o.in_as(*p.c, y) : o.absent();
    o.make(DML_OPERATOR_GEMM, dml_gemm{a, b, c, o.out(p.y, y), p.a_by_column, p.b_by_column, p.alpha, p.beta, nullptr});
}
void dml_writer::write(const matmul_prim& p) {
    const matrices s(p.a.dims, p.b.dims);
    dml_operator o(*this);
    const dml_tensor a = o.in_as(p.a, s.x, s.left()), b = o.in_as(p.b, s.w, s.right()), absent = o.absent();
    o.make(DML_OPERATOR_GEMM, dml_gemm{a, b, absent, o.out(p.y, s.product()), false, false, 1, 0, nullptr});
}
void dml_writer::write(const quantized_conv_prim& p) {
    const window_lists l(p.window);
    const shape y = image_dims(p.y.dims), channels{1, y[1], 1, 1};
    dml_operator o(*this);
    const dml_tensor x = o.in(p.of_x.x, image_dims(p.of_x.x.dims)),
                     x_scale = p.of_x.scale ? parameter(o, p.of_x.scale, channels) : nullptr,
                     x_zero = parameter(o, p.of_x.zero, channels), w = o.in(p.of_w.x, image_dims(p.of_w.x.dims)),
                     w_scale = p.of_w.scale ? parameter(o, p.of_w.scale, channels) : nullptr,
                     w_zero = parameter(o, p.of_w.zero, channels);
    if (!p.of_y.scale)
        return o.make(DML_OPERATOR_CONVOLUTION_INTEGER,
                      dml_integer_convolution{x, x_zero, w, w_zero, o.out(p.y, y), l.axes(), l.strides.data(),
                                              l.dilations.data(), l.start.data(), l.end.data(), UINT(p.groups)});
    const dml_tensor bias = o.in(p.bias, channels), y_scale = parameter(o, p.of_y.scale, channels),
                     y_zero = parameter(o, p.of_y.zero, channels);
    o.make(DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION,
           dml_codes_convolution{x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero, o.out(p.y, y), l.axes(),
                                 l.strides.data(), l.dilations.data(), l.start.data(), l.end.data(), UINT(p.groups)});
}
void dml_writer::write(const quantized_matmul_prim& p) {
    const matrices s(p.of_a.x.dims, p.of_b.x.dims);
    const shape y = s.product(), rows{1, 1, y[2], 1}, columns{1, 1, 1, y[3]};
    for (const auto& x : {p.of_a.scale, p.of_a.zero, p.of_y.scale, p.of_y.zero})
        if (x && x->dims.elements() != 1 && p.of_a.x.dims.rank != 2)
            refuse("the rows of more than one matrix have numbers of their own");
    dml_operator o(*this);
    const dml_tensor a = o.in_as(p.of_a.x, s.x, s.left()),
                     a_scale = p.of_a.scale ? parameter(o, p.of_a.scale, rows) : nullptr,
                     a_zero = parameter(o, p.of_a.zero, rows), b = o.in_as(p.of_b.x, s.w, s.right()),
                     b_scale = p.of_b.scale ? parameter(o, p.of_b.scale, columns) : nullptr,
                     b_zero = parameter(o, p.of_b.zero, columns);
    if (!p.of_y.scale)
        return o.make(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, dml_integer_product{a, a_zero, b, b_zero, o.out(p.y, y)});
    const dml_tensor y_scale = parameter(o, p.of_y.scale, rows), y_zero = parameter(o, p.of_y.zero, rows);
    o.make(DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY,
           dml_codes_product{a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero, o.out(p.y, y)});
}

// --- recurrent networks
namespace {
// The functions of the gates, f, g and h of each direction: operators without tensors.
class gate_functions {
    std::deque<dml_activation_of_two> places_{};  // the others are shorter
    std::vector<DML_OPERATOR_DESC> descriptors_{};

    static DML_OPERATOR_TYPE type_of(recurrent_activation::function f) {
        switch (f) {
            case recurrent_activation::sigmoid: return DML_OPERATOR_ACTIVATION_SIGMOID;
            case recurrent_activation::tanh: return DML_OPERATOR_ACTIVATION_TANH;
            case recurrent_activation::relu: return DML_OPERATOR_ACTIVATION_RELU;
            case recurrent_activation::softsign: return DML_OPERATOR_ACTIVATION_SOFTSIGN;
            case recurrent_activation::elu: return DML_OPERATOR_ACTIVATION_ELU;
            case recurrent_activation::leaky_relu: return DML_OPERATOR_ACTIVATION_LEAKY_RELU;
            case recurrent_activation::hard_sigmoid: return DML_OPERATOR_ACTIVATION_HARD_SIGMOID;
            default: refuse("an activation is one that is not written here");
        }
    }

  public:
    explicit gate_functions(const recurrent_prim& p) {
        for (int d = 0; d < p.params.directions; ++d)
            for (int k = 0; k < p.functions; ++k) {
                const recurrent_activation& f = p.params.activations[std::size_t(d)][std::size_t(k)];
                places_.push_back({nullptr, nullptr, float(f.alpha), float(f.beta)});
                descriptors_.push_back({type_of(f.kind), &places_.back()});
            }
    }
    UINT count() const { return UINT(descriptors_.size()); }
    const DML_OPERATOR_DESC* list() const { return descriptors_.data(); }
};
}  // namespace
// These operators refuse tensors that DirectML owns: they get copies.
operand dml_writer::not_owned(const operand& x) {
    if (!at(x).of_constant) return x;
    const operand y = temporary(x.dims, x.type);
    copy(x, y, strides_of(x.dims, layout::plain));
    return y;
}
void dml_writer::write(const recurrent_prim& p) {
    const gate_functions f(p);
    const std::int64_t directions = p.params.directions;
    const shape sequence{p.params.steps, directions, p.params.batch, p.params.hidden},
        final_step{1, directions, p.params.batch, p.params.hidden};
    dml_operator o(*this);
    const auto in = [&](const std::optional<operand>& input, const shape& dims) {
        return input ? o.in(not_owned(*input), dims) : o.absent();
    };
    const auto matrices_of = [&](const std::optional<operand>& input) {
        return input ? in(input, {1, input->dims[0], input->dims[1], input->dims[2]}) : o.absent();
    };
    const int direction = directions == 2 ? 2 : p.params.reverse;
    const dml_tensor x = matrices_of(p.x), w = matrices_of(p.w), r = matrices_of(p.r),
                     bias = p.bias ? in(p.bias, {1, 1, directions, p.bias->dims[1]}) : o.absent(),
                     state = matrices_of(p.state);
    if (p.does == recurrence::lstm) {
        const dml_tensor cell = matrices_of(p.cell), lengths = o.absent(), peepholes = o.absent(),
                         y = o.out(p.y, sequence), last_state = o.out(p.last_state, final_step),
                         last_cell = o.out(p.last_cell, final_step);
        return o.make(DML_OPERATOR_LSTM, dml_lstm{x, w, r, bias, state, cell, lengths, peepholes, y, last_state,
                                                  last_cell, f.count(), f.list(), direction, 0, 0, p.params.flag});
    }
    const dml_tensor lengths = o.absent(), y = o.out(p.y, sequence), last_state = o.out(p.last_state, final_step);
    if (p.does == recurrence::rnn)
        return o.make(DML_OPERATOR_RNN,
                      dml_rnn{x, w, r, bias, state, lengths, y, last_state, f.count(), f.list(), direction});
    o.make(DML_OPERATOR_GRU,
           dml_gru{x, w, r, bias, state, lengths, y, last_state, f.count(), f.list(), direction, p.params.flag});
}
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay
