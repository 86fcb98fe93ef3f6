// LSTM and GRU as primitives, one step after another: for libraries whose own operations are not to be had.
#include "canonical.hpp"
#include <inlay/support/recurrent.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
using floats = std::function<std::vector<float>()>;

floats sum_of(floats x, floats y) {
    return [x = std::move(x), y = std::move(y)] {
        std::vector<float> values = x();
        const std::vector<float> more = y();
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += more[i];
        return values;
    };
}
// One direction of a node. B: sequences, H: hidden_size, G: gates.
class direction {
    node_lowering& a_;
    recurrent_shape s_;
    int d_, gates_;
    operand like_;

    operand between(std::int64_t rows, std::int64_t columns) { return a_.between({rows, columns}, like_); }
    // Rows [first, first + count) of this direction's block of input k, of which an index has `length` elements.
    floats rows(int k, std::int64_t length, std::int64_t first, std::int64_t count) const {
        return
            [values = a_.copy_of(k), directions = s_.directions, d = d_, from = first * length, size = count * length] {
                const std::vector<float> list = values();
                const auto begin = list.begin() + d * std::int64_t(list.size()) / directions + from;
                return std::vector<float>(begin, begin + size);
            };
    }
    operand binary(arithmetic does, const operand& x, const operand& y) {
        const operand z = between(s_.batch, x.dims[1]);
        a_.add(binary_prim{does, x, y, z});
        return z;
    }
    operand unary(function does, const operand& x) {
        const operand y = between(s_.batch, x.dims[1]);
        a_.add(unary_prim{does, x, y});
        return y;
    }
    operand part(const operand& x, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
        const operand y = between(rows, columns);
        a_.add(slice_prim{x, y, {row, column}, {1, 1}});
        return y;
    }

  public:
    direction(node_lowering& a, const recurrent_shape& s, int d, int gates)
        : a_(a), s_(s), d_(d), gates_(gates), like_(a.input(0)) {}

    std::int64_t hidden() const { return s_.hidden; }
    // Biases of some gates, of the input or behind them of the state; zeros where there are none.
    floats biases(bool of_state, std::int64_t first, std::int64_t count) const {
        const std::int64_t size = count * s_.hidden;
        if (!a_.n.has_input(3)) return [size] { return std::vector<float>(std::size_t(size), 0.f); };
        return rows(3, 1, ((of_state ? gates_ : 0) + first) * s_.hidden, size);
    }
    // W or R of some gates as a layer's weights, [count * H, columns].
    operand weights(int k, std::int64_t first, std::int64_t count) {
        const std::int64_t columns = a_.n.input(k).dims[2];
        return a_.constant({count * s_.hidden, columns}, rows(k, columns, first * s_.hidden, count * s_.hidden));
    }
    // The input's part of all gates and steps, [steps * B, G * H].
    operand products(floats bias) {
        const operand y = between(s_.steps * s_.batch, gates_ * s_.hidden);
        a_.add(dense_prim{a_.input(0, {s_.steps * s_.batch, s_.input}), weights(1, 0, gates_), y,
                          a_.constant({gates_ * s_.hidden}, std::move(bias))});
        return y;
    }
    operand layer(const operand& h, const operand& w, std::optional<operand> bias = {}) {
        const operand y = between(s_.batch, w.dims[0]);
        a_.add(dense_prim{h, w, y, std::move(bias)});
        return y;
    }
    // [B, ...] of a step of [steps * B, ...].
    operand step(const operand& sequence, std::int64_t t) {
        return s_.steps == 1 ? sequence : part(sequence, t * s_.batch, s_.batch, 0, sequence.dims[1]);
    }
    operand columns(const operand& x, std::int64_t from, std::int64_t count) {
        return part(x, 0, s_.batch, from, count);
    }
    operand initial_state(int k, const operand& like) {  // zeros where there is none
        if (!a_.n.has_input(k)) return binary(arithmetic::mul, like, a_.number(0, like));
        const operand state = a_.input(k, {s_.directions * s_.batch, s_.hidden});
        return s_.directions == 1 ? state : part(state, d_ * s_.batch, s_.batch, 0, s_.hidden);
    }
    operand sum(const operand& x, const operand& y) { return binary(arithmetic::add, x, y); }
    operand product(const operand& x, const operand& y) { return binary(arithmetic::mul, x, y); }
    operand difference(const operand& x, const operand& y) { return binary(arithmetic::sub, x, y); }
    operand sigmoid(const operand& x) { return unary(function::sigmoid, x); }
    operand tanh(const operand& x) { return unary(function::tanh, x); }
    std::int64_t time(std::int64_t step) const { return s_.backward(d_) ? s_.steps - 1 - step : step; }
};
// What a direction gives: the state of each time, and the last of each state.
struct states {
    std::vector<operand> outputs;
    std::vector<operand> final_states{};  // h, c
};
// Gates i, o, f, c.
states steps_of_lstm(direction d, std::int64_t steps) {
    const std::int64_t n = d.hidden();
    const operand x = d.products(sum_of(d.biases(false, 0, 4), d.biases(true, 0, 4))), r = d.weights(2, 0, 4);
    states y{std::vector<operand>(std::size_t(steps))};
    operand h, c;
    for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t t = d.time(k);
        const operand of_input = d.step(x, t);
        if (k == 0) {
            const operand like = d.columns(of_input, 0, n);
            h = d.initial_state(5, like);
            c = d.initial_state(6, like);
        }
        const operand sums = d.sum(of_input, d.layer(h, r)), gates = d.sigmoid(d.columns(sums, 0, 3 * n));
        const operand next = d.tanh(d.columns(sums, 3 * n, n));
        c = d.sum(d.product(d.columns(gates, 2 * n, n), c), d.product(d.columns(gates, 0, n), next));
        h = d.product(d.columns(gates, n, n), d.tanh(c));
        y.outputs[std::size_t(t)] = h;
    }
    y.final_states = {h, c};
    return y;
}
// Gates z, r, h: h' = n + z (h - n). Where the reset is behind the product, that has a bias of its own.
states steps_of_gru(direction d, std::int64_t steps, node_lowering& a) {
    const std::int64_t n = d.hidden();
    const bool reset_behind = a.n.integer("linear_before_reset", 0) != 0;
    const floats of_gates = sum_of(d.biases(false, 0, 2), d.biases(true, 0, 2)), of_new = d.biases(false, 2, 1),
                 of_state = d.biases(true, 2, 1), added = reset_behind ? of_new : sum_of(of_new, of_state);
    const operand x = d.products([of_gates, added] {
        std::vector<float> values = of_gates();
        std::ranges::copy(added(), std::back_inserter(values));
        return values;
    });
    const operand r_gates = d.weights(2, 0, 2), r_new = d.weights(2, 2, 1);
    std::optional<operand> b_new;
    if (reset_behind) b_new = a.constant({n}, of_state);
    states y{std::vector<operand>(std::size_t(steps))};
    operand h;
    for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t t = d.time(k);
        const operand of_input = d.step(x, t), of_next = d.columns(of_input, 2 * n, n);
        if (k == 0) h = d.initial_state(5, of_next);
        const operand gates = d.sigmoid(d.sum(d.columns(of_input, 0, 2 * n), d.layer(h, r_gates)));
        const operand update = d.columns(gates, 0, n), reset = d.columns(gates, n, n);
        const operand before =
            reset_behind ? d.product(reset, d.layer(h, r_new, b_new)) : d.layer(d.product(reset, h), r_new);
        const operand next = d.tanh(d.sum(of_next, before));
        h = d.sum(next, d.product(update, d.difference(h, next)));
        y.outputs[std::size_t(t)] = h;
    }
    y.final_states = {h};
    return y;
}

void join(node_lowering& a, std::vector<operand> parts, int axis, const operand& y) {
    if (parts.size() == 1) return a.add(reshape_prim{parts[0], y});
    a.add(concat_prim{std::move(parts), y, axis});
}
recurrent_shape checked_shape(const node_lowering& a, bool lstm) {
    const node_view& n = a.n;
    recurrent_shape s;
    require(s.read(n, lstm ? 4 : 3, lstm ? 2 : 1, lstm ? 3 : 0));
    for (const int k : {1, 2, 3})
        if (n.has_input(k)) a.require_constant(k, std::array{"W", "R", "B"}[std::size_t(k - 1)]);
    if (n.input(0).type != element::f32) refuse("it is of type " + std::string(name_of(n.input(0).type)));
    if (s.batch_first) refuse("its batch stands before the time");
    if (n.has_input(4)) refuse("its sequences have lengths of their own");
    if (n.has_input(7)) refuse("its cells have peepholes");
    if (n.has("clip") || n.integer("input_forget", 0) != 0) refuse("its gates are cut or coupled");
    constexpr std::string_view usual[] = {"Sigmoid", "Tanh", "Tanh"};
    const auto names = n.texts("activations");
    for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] != usual[k % (lstm ? 3 : 2)]) refuse("its activations are other ones than Sigmoid and Tanh");
    return s;
}
template <bool Lstm> void lower_steps(node_lowering& a) {
    a.require_floats();
    const recurrent_shape s = checked_shape(a, Lstm);
    const operand x = a.input(0);
    std::vector<operand> every;                  // [steps, 1, B, H] of each direction
    std::vector<std::vector<operand>> lasts(2);  // [1, B, H] of h and of c
    const auto reshaped = [&](const operand& from, const shape& dims) {
        const operand y = a.between(dims, x);
        a.add(reshape_prim{from, y});
        return y;
    };
    for (int i = 0; i < s.directions; ++i) {
        const direction d(a, s, i, Lstm ? 4 : 3);
        const states y = Lstm ? steps_of_lstm(d, s.steps) : steps_of_gru(d, s.steps, a);
        for (std::size_t k = 0; k < y.final_states.size(); ++k)
            lasts[k].push_back(reshaped(y.final_states[k], {1, s.batch, s.hidden}));
        const operand rows = a.between({s.steps * s.batch, s.hidden}, x);
        join(a, y.outputs, 0, rows);
        every.push_back(reshaped(rows, {s.steps, 1, s.batch, s.hidden}));
    }
    if (a.n.has_output(0)) join(a, every, 1, a.result(0));
    for (const int k : {0, 1})
        if (a.n.has_output(k + 1)) join(a, lasts[std::size_t(k)], 0, a.result(k + 1));
}
}  // namespace

void lower_steps_of_gru(node_lowering& a) { lower_steps<false>(a); }
void lower_steps_of_lstm(node_lowering& a) { lower_steps<true>(a); }
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
