// RNN, GRU and LSTM, along sequences of one length.
#include "graph.hpp"
#include <inlay/onnx/gru.hpp>
#include <inlay/onnx/lstm.hpp>
#include <inlay/onnx/rnn.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
// The functions of the gates, f, g and h of each direction: operators without tensors.
class gate_functions {
    std::deque<dml_activation_of_two> places_{};  // the others are shorter
    std::vector<DML_OPERATOR_DESC> all_{};

    void add(DML_OPERATOR_TYPE type, double alpha = 0, double beta = 0) {
        all_.push_back(
            {type, &places_.emplace_back(dml_activation_of_two{nullptr, nullptr, float(alpha), float(beta)})});
    }

  public:
    gate_functions(const recurrent_params& p, int count) {
        for (int d = 0; d < p.directions; ++d)
            for (int k = 0; k < count; ++k) {
                const recurrent_activation& f = p.activations[std::size_t(d)][std::size_t(k)];
                switch (f.kind) {
                    case recurrent_activation::sigmoid: add(DML_OPERATOR_ACTIVATION_SIGMOID); break;
                    case recurrent_activation::tanh: add(DML_OPERATOR_ACTIVATION_TANH); break;
                    case recurrent_activation::relu: add(DML_OPERATOR_ACTIVATION_RELU); break;
                    case recurrent_activation::softsign: add(DML_OPERATOR_ACTIVATION_SOFTSIGN); break;
                    case recurrent_activation::elu: add(DML_OPERATOR_ACTIVATION_ELU, f.alpha); break;
                    case recurrent_activation::leaky_relu: add(DML_OPERATOR_ACTIVATION_LEAKY_RELU, f.alpha); break;
                    case recurrent_activation::hard_sigmoid:
                        add(DML_OPERATOR_ACTIVATION_HARD_SIGMOID, f.alpha, f.beta);
                        break;
                    default: refuse("an activation is one that is not written here");
                }
            }
    }
    UINT count() const { return UINT(all_.size()); }
    const DML_OPERATOR_DESC* list() const { return all_.data(); }
};
template <class Op> recurrent_params read_node(const node_writer& a) {
    recurrent_params p;
    require(p.read_node<Op>(a.n));
    if (p.batch_first) refuse("the batch is its first axis");
    if (a.n.has_input(4)) refuse("its sequences have lengths of their own");
    if (p.clips()) refuse("it clips");
    if (Op::peepholes > 0 && a.n.has_input(7)) refuse("it has peepholes");
    return p;
}
// The tensors of all three, in the order of descriptions, in which lengths and peepholes come after the initial states.
struct sequence {
    const node_writer& a;
    operator_maker m;
    shape state;
    element type;
    dml_tensor x, w, r, bias;

    sequence(const node_writer& n, const recurrent_params& p)
        : a(n),
          m(n.to),
          state{1, p.directions, p.batch, p.hidden},
          type(n.n.input(0).type),
          x(in(0)),
          w(in(1)),
          r(in(2)),
          bias(a.n.has_input(3) ? in(a.input(3, {1, 1, p.directions, a.dims(3)[1]})) : m.absent()) {}
    // These operators refuse tensors that DirectML owns: they get copies.
    dml_tensor in(const stream& s) {
        return m.in(s.of_constant ? strided_copy(a, s, s.info.dims, strides_of(s.info.dims, layout::plain)) : s);
    }
    dml_tensor in(int k) {
        if (!a.n.has_input(k)) return m.absent();
        const shape& d = a.dims(k);
        return in(a.input(k, {1, d[0], d[1], d[2]}));
    }
    dml_tensor all_steps(const recurrent_params& p) {
        return m.out({{p.steps, p.directions, p.batch, p.hidden}, type});
    }
    dml_tensor last() { return m.out({state, type}); }
    void put(DML_OPERATOR_TYPE operator_type, const void* description) {
        const std::vector<stream> made = m.all_made(operator_type, description);
        for (int k = 0; k < a.n.output_count(); ++k)
            if (a.n.has_output(k)) a.put(made[std::size_t(k)], k);
    }
};
int direction_of(const recurrent_params& p) { return p.directions == 2 ? 2 : p.reverse; }
void write_rnn(const node_writer& a) {
    const auto p = read_node<op::rnn>(a);
    const gate_functions f(p, op::rnn::functions);
    sequence s(a, p);
    const dml_tensor h = s.in(5), lengths = s.m.absent(), y = s.all_steps(p), last = s.last();
    const dml_rnn d{s.x, s.w, s.r, s.bias, h, lengths, y, last, f.count(), f.list(), direction_of(p)};
    s.put(DML_OPERATOR_RNN, &d);
}
void write_gru(const node_writer& a) {
    const auto p = read_node<op::gru>(a);
    const gate_functions f(p, op::gru::functions);
    sequence s(a, p);
    const dml_tensor h = s.in(5), lengths = s.m.absent(), y = s.all_steps(p), last = s.last();
    const dml_gru d{s.x, s.w, s.r, s.bias, h, lengths, y, last, f.count(), f.list(), direction_of(p), p.flag};
    s.put(DML_OPERATOR_GRU, &d);
}
void write_lstm(const node_writer& a) {
    const auto p = read_node<op::lstm>(a);
    const gate_functions f(p, op::lstm::functions);
    sequence s(a, p);
    const dml_tensor h = s.in(5), c = s.in(6), lengths = s.m.absent(), peepholes = s.m.absent(), y = s.all_steps(p),
                     last = s.last(), cell = s.last();
    const dml_lstm d{s.x,  s.w,       s.r,      s.bias,          h, c, lengths, peepholes, y, last,
                     cell, f.count(), f.list(), direction_of(p), 0, 0, p.flag};
    s.put(DML_OPERATOR_LSTM, &d);
}
}  // namespace

std::span<const named_writer> recurrent_writers() {
    static constexpr named_writer all[] = {{"GRU", write_gru}, {"LSTM", write_lstm}, {"RNN", write_rnn}};
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
