// LSTM and GRU, one step after another: QNN's own Gru is wrong behind its first step on the simulator, and its Lstm
// ends the process.
#include "lowering.hpp"
#include <inlay/support/recurrent.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
using numbers = std::vector<std::int64_t>;

// One direction of a node. B: sequences, H: hidden_size, G: gates.
class direction {
    qnn_lowering& l_;
    const node_view& n_;
    recurrent_shape s_;
    int d_, gates_;

    int made(std::string_view type, std::vector<int> from, std::int64_t columns) {
        const int y = l_.inner({s_.batch, columns}, from[0]);
        l_.add(type, std::move(from), {y});
        return y;
    }
    // Rows [first, first + count) of this direction's block of input k, of which an index has `length` elements.
    std::vector<float> rows(int k, std::int64_t length, std::int64_t first, std::int64_t count) const {
        const std::vector<float> all = l_.floats(n_, k);
        const std::int64_t block = std::int64_t(all.size()) / s_.directions;
        const auto begin = all.begin() + d_ * block + first * length;
        return {begin, begin + count * length};
    }

  public:
    direction(qnn_lowering& l, const node_view& n, const recurrent_shape& s, int d, int gates)
        : l_(l), n_(n), s_(s), d_(d), gates_(gates) {}

    std::int64_t hidden() const { return s_.hidden; }
    // Biases of some gates, of the input or behind them of the state; zeros where there are none.
    std::vector<float> biases(bool of_state, std::int64_t first, std::int64_t count) const {
        if (!n_.has_input(3)) return std::vector<float>(std::size_t(count * s_.hidden), 0.f);
        return rows(3, 1, ((of_state ? gates_ : 0) + first) * s_.hidden, count * s_.hidden);
    }
    // W or R of some gates as a layer's weights, [count * H, columns].
    int weights(int k, std::int64_t first, std::int64_t count) {
        const std::int64_t columns = n_.input(k).dims[2];
        const std::vector<float> w = rows(k, columns, first * s_.hidden, count * s_.hidden);
        return l_.constant({count * s_.hidden, columns}, w);
    }
    // The input's part of all gates and steps, [steps * B, G * H].
    int products(const std::vector<float>& bias) {
        const int x = l_.reshaped(l_.input(n_, 0), {s_.steps * s_.batch, s_.input});
        const int y = l_.inner({s_.steps * s_.batch, gates_ * s_.hidden}, x);
        l_.add("FullyConnected", {x, weights(1, 0, gates_), l_.constant({gates_ * s_.hidden}, bias)}, {y});
        return y;
    }
    int layer(int h, int weights, int bias = -1) {
        std::vector<int> from{h, weights};
        if (bias >= 0) from.push_back(bias);
        return made("FullyConnected", std::move(from), l_.dims(weights)[0]);
    }
    // [B, ...] of a step of [steps * B, ...].
    int step(int all, std::int64_t t) {
        if (s_.steps == 1) return all;
        const std::int64_t columns = l_.dims(all)[1];
        const int y = l_.inner({s_.batch, columns}, all);
        const numbers ranges{t * s_.batch, (t + 1) * s_.batch, 1, 0, columns, 1};
        l_.add("StridedSlice", {all}, {y}, {l_.signed_list("ranges", ranges, {2, 3})});
        return y;
    }
    // Its columns, cut before each of `places`.
    std::vector<int> split(int x, const numbers& places) {
        std::vector<int> parts;
        for (std::size_t k = 0; k <= places.size(); ++k) {
            const std::int64_t begin = k == 0 ? 0 : places[k - 1], end = k == places.size() ? l_.dims(x)[1] : places[k];
            parts.push_back(l_.inner({s_.batch, end - begin}, x));
        }
        l_.add("Split", {x}, parts, {l_.natural("axis", 1), l_.list("split_index", places)});
        return parts;
    }
    int initial_state(int k, int like) {  // zeros where there is none
        const shape rows{s_.batch, s_.hidden};
        if (!n_.has_input(k)) return made("ElementWiseMultiply", {like, l_.number(0, like)}, s_.hidden);
        const int all = l_.reshaped(l_.input(n_, k), {s_.directions * s_.batch, s_.hidden});
        if (s_.directions == 1) return all;
        const int y = l_.inner(rows, all);
        const numbers ranges{d_ * s_.batch, (d_ + 1) * s_.batch, 1, 0, s_.hidden, 1};
        l_.add("StridedSlice", {all}, {y}, {l_.signed_list("ranges", ranges, {2, 3})});
        return y;
    }
    int sum(int a, int b) { return made("ElementWiseAdd", {a, b}, l_.dims(a)[1]); }
    int product(int a, int b) { return made("ElementWiseMultiply", {a, b}, l_.dims(a)[1]); }
    int difference(int a, int b) {
        const int y = l_.inner(l_.dims(a), a);
        l_.give_difference(a, b, y);
        return y;
    }
    int sigmoid(int x) { return made("Sigmoid", {x}, l_.dims(x)[1]); }
    int tanh(int x) { return made("Tanh", {x}, l_.dims(x)[1]); }
    std::int64_t time(std::int64_t step) const { return s_.backward(d_) ? s_.steps - 1 - step : step; }
};
// What a direction gives: the state of each time, and the last of each state.
struct states {
    std::vector<int> all;
    std::vector<int> last;  // h, c
};
std::vector<float> added(std::vector<float> a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}
// Gates i, o, f, c.
states steps_of_lstm(direction d, std::int64_t steps) {
    const std::int64_t n = d.hidden();
    const int x = d.products(added(d.biases(false, 0, 4), d.biases(true, 0, 4))), r = d.weights(2, 0, 4);
    states y{std::vector<int>(std::size_t(steps)), {}};
    int h = -1, c = -1;
    for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t t = d.time(k);
        const int of_input = d.step(x, t);
        if (k == 0) {
            const int like = d.split(of_input, {n})[0];
            h = d.initial_state(5, like);
            c = d.initial_state(6, like);
        }
        const std::vector<int> parts = d.split(d.sum(of_input, d.layer(h, r)), {3 * n});
        const std::vector<int> gates = d.split(d.sigmoid(parts[0]), {n, 2 * n});
        c = d.sum(d.product(gates[2], c), d.product(gates[0], d.tanh(parts[1])));
        h = d.product(gates[1], d.tanh(c));
        y.all[std::size_t(t)] = h;
    }
    y.last = {h, c};
    return y;
}
// Gates z, r, h: h' = n + z (h - n).
states steps_of_gru(direction d, std::int64_t steps, qnn_lowering& l, bool linear_before_reset) {
    const std::int64_t n = d.hidden();
    std::vector<float> bias = d.biases(false, 0, 3), of_state = d.biases(true, 0, 3);
    if (linear_before_reset) {
        std::copy_n(of_state.begin() + 2 * n, n, of_state.begin());  // the rest is the input's
        const std::vector<float> gates = d.biases(true, 0, 2);
        for (std::size_t i = 0; i < gates.size(); ++i) bias[i] += gates[i];
        of_state.resize(std::size_t(n));
    } else
        bias = added(std::move(bias), of_state);
    const int x = d.products(bias), r_gates = d.weights(2, 0, 2), r_new = d.weights(2, 2, 1),
              b_new = linear_before_reset ? l.constant({n}, of_state) : -1;
    states y{std::vector<int>(std::size_t(steps)), {}};
    int h = -1;
    for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t t = d.time(k);
        const std::vector<int> of_input = d.split(d.step(x, t), {2 * n});
        if (k == 0) h = d.initial_state(5, of_input[1]);
        const std::vector<int> gates = d.split(d.sigmoid(d.sum(of_input[0], d.layer(h, r_gates))), {n});
        const int before = linear_before_reset ? d.product(gates[1], d.layer(h, r_new, b_new))
                                               : d.layer(d.product(gates[1], h), r_new);
        const int next = d.tanh(d.sum(of_input[1], before));
        h = d.sum(next, d.product(gates[0], d.difference(h, next)));
        y.all[std::size_t(t)] = h;
    }
    y.last = {h};
    return y;
}

int joined(qnn_lowering& l, std::vector<int> parts, int axis, const shape& dims) {
    if (parts.size() == 1) return parts[0];
    const int y = l.inner(dims, parts[0]);
    l.add("Concat", std::move(parts), {y}, {l.natural("axis", axis)});
    return y;
}
void check_recurrent(const node_view& n, recurrent_shape& s, bool lstm) {
    if (const verdict v = s.read(n, lstm ? 4 : 3, lstm ? 2 : 1, lstm ? 3 : 0); !v) refuse(std::string(v.reason));
    if (s.batch_first) refuse("QNN's sequences have their batch behind the time here");
    if (n.has_input(4)) refuse("QNN's sequences have one length");
    if (n.has_input(7)) refuse("QNN's cells have no peepholes here");
    if (n.has("clip") || n.integer("input_forget", 0)) refuse("QNN's gates are neither cut nor coupled here");
    constexpr std::string_view of_lstm[] = {"Sigmoid", "Tanh", "Tanh"};
    const auto names = n.texts("activations");
    for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] != of_lstm[k % (lstm ? 3 : 2)]) refuse("its activations are other ones than Sigmoid and Tanh");
    constexpr std::int64_t most = 128;
    if (s.steps * s.directions > most)
        refuse("it has " + std::to_string(s.steps * s.directions) + " steps, which are written one by one: more than " +
               std::to_string(most));
}
void lower_recurrent(qnn_lowering& l, const node_view& n) {
    const bool lstm = n.record.op == "LSTM";
    if (!lstm && l.has_half_floats()) refuse("QNN computes other results of it in floats of 16 bits");
    recurrent_shape s;
    check_recurrent(n, s, lstm);
    std::vector<int> every;                  // [steps, 1, B, H] of each direction
    std::vector<std::vector<int>> lasts(2);  // [1, B, H] of h and of c
    for (int i = 0; i < s.directions; ++i) {
        const direction d(l, n, s, i, lstm ? 4 : 3);
        const states y =
            lstm ? steps_of_lstm(d, s.steps) : steps_of_gru(d, s.steps, l, n.integer("linear_before_reset", 0) != 0);
        for (std::size_t k = 0; k < y.last.size(); ++k)
            lasts[k].push_back(l.reshaped(y.last[k], {1, s.batch, s.hidden}));
        const int rows = joined(l, y.all, 0, {s.steps * s.batch, s.hidden});
        every.push_back(l.reshaped(rows, {s.steps, 1, s.batch, s.hidden}));
    }
    const auto give = [&](int output, const std::vector<int>& parts, int axis) {
        if (!n.has_output(output)) return;
        const int whole = joined(l, parts, axis, n.output(output).dims);
        l.add("Reshape", {whole}, {l.output(n, output)});
    };
    give(0, every, 1);
    give(1, lasts[0], 0);
    if (lstm) give(2, lasts[1], 0);
}
}  // namespace

std::span<const qnn_rule> qnn_recurrent_rules() {
    static constexpr qnn_rule rules[] = {{"GRU", lower_recurrent}, {"LSTM", lower_recurrent}};
    return rules;
}
}  // namespace v1
}  // namespace inlay
