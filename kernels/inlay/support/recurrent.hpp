// Common to LSTM, GRU and RNN: activation functions, shapes, directions and the order of steps. Where ONNX is
// undefined: a sequence of length 0 gives zeros in Y, and its final states are the initial ones; `clip` bounds the
// accumulators that go into gates, not the state that goes into h, and 0 stands for no bound, which is how files say
// that there is none.
#pragma once
#include "movable.hpp"
#include "on_device.hpp"
#include "presence.hpp"
#include "stop_check.hpp"
#include <inlay/sdk/operator.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
struct recurrent_activation {
    enum function : std::uint8_t {
        sigmoid,
        tanh,
        relu,
        affine,
        leaky_relu,
        thresholded_relu,
        scaled_tanh,
        hard_sigmoid,
        elu,
        softsign,
        softplus
    };
    function kind = sigmoid;
    double alpha = 0, beta = 0;

    struct entry {
        std::string_view name;
        double alpha, beta;
        bool takes_alpha, takes_beta;
    };
    static constexpr entry table[] = {{"Sigmoid", 0, 0, false, false},      {"Tanh", 0, 0, false, false},
                                      {"Relu", 0, 0, false, false},         {"Affine", 1, 0, true, true},
                                      {"LeakyRelu", 0.01f, 0, true, false}, {"ThresholdedRelu", 1, 0, true, false},
                                      {"ScaledTanh", 1, 1, true, true},     {"HardSigmoid", 0.2f, 0.5, true, true},
                                      {"Elu", 1, 0, true, false},           {"Softsign", 0, 0, false, false},
                                      {"Softplus", 0, 0, false, false}};

    template <class A> INLAY_ON_DEVICE A operator()(A x) const {
        const A a = static_cast<A>(alpha), b = static_cast<A>(beta), zero = 0, unit = 1;
        switch (kind) {
            case sigmoid: {
                const A e = std::exp(-std::abs(x));
                return (x < zero ? e : unit) / (unit + e);
            }  // never overflows
            case tanh: return std::tanh(x);
            case relu: return x < zero ? zero : x;
            case affine: return a * x + b;
            case leaky_relu: return x < zero ? a * x : x;
            case thresholded_relu: return x < a ? zero : x;
            case scaled_tanh: return a * std::tanh(b * x);
            case hard_sigmoid: {
                const A y = a * x + b;
                return y < zero ? zero : y > unit ? unit : y;
            }
            case elu: return x < zero ? a * std::expm1(x) : x;
            case softsign: return x / (unit + std::abs(x));
            case softplus: return (x > zero ? x : zero) + std::log1p(std::exp(-std::abs(x)));
        }
        return x;
    }
};
// Other layouts of W and R: with a column for each row of a gate; W with `more` inputs than X has, -1: not known.
struct recurrent_weights {
    bool turned = false;
    std::int64_t more = 0;
};

struct recurrent_shape {
    std::int64_t steps = -1, batch = -1, input = -1, hidden = -1;  // negative: not known
    int directions = 1;
    bool reverse = false;      // the first direction runs from the end
    bool batch_first = false;  // layout 1: the batch is the first axis of X, Y and the states

    static constexpr double flop(const argument_shapes& s) {  // each weight once per step and sample
        const shape x = s.input(0);
        return x.rank == 3 && x.known()
                   ? 2 * double(x[0]) * double(x[1]) * (count_of(s.input(1)) + count_of(s.input(2)))
                   : 0;
    }
    // `gates` blocks of `hidden` rows in W and R; `states` initial states from input 5 on; `peepholes` blocks in
    // input 7.
    constexpr verdict read(const node_view& n, int gates, int states, int peepholes, recurrent_weights form = {}) {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("X, W or R is missing");
        const std::string_view direction = n.text("direction", "forward");
        if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
            return no("direction must be forward, reverse or bidirectional");
        directions = direction == "bidirectional" ? 2 : 1;
        reverse = direction == "reverse";
        batch_first = n.integer("layout", 0) != 0;
        if (n.has("hidden_size") && (hidden = n.integer("hidden_size", 0)) < 1)
            return no("hidden_size must be positive");
        std::int64_t count = directions, rows = -1;
        const auto fits = [&](int k, std::initializer_list<std::int64_t*> sizes) {  // fills in what is not known yet
            if (!n.has_input(k) || n.input(k).dims.rank < 0) return true;
            const shape& dims = n.input(k).dims;
            if (dims.rank != int(sizes.size())) return false;
            int i = 0;
            for (std::int64_t* w : sizes) {
                const std::int64_t d = dims[i++];
                if (d >= 0 && *w >= 0 && d != *w) return false;
                if (*w < 0 && (d >= 0 || *w == -1)) *w = d;
            }
            return true;
        };
        if (!fits(0, {batch_first ? &batch : &steps, batch_first ? &steps : &batch, &input}))
            return no("X must be [seq_length, batch_size, input_size], or as `layout` says");
        std::int64_t width = input < 0 || form.more < 0 ? -1 : input + form.more;
        if (form.turned && (!fits(2, {&count, &hidden, &rows}) || !fits(1, {&count, &width, &rows})))
            return no(
                "W and R must be [num_directions, ..., gates * hidden_size] and agree with each other and with X");
        if (!form.turned && (!fits(2, {&count, &rows, &hidden}) || !fits(1, {&count, &rows, &width})))
            return no(
                "W and R must be [num_directions, gates * hidden_size, ...] and agree with each other and with X");
        if (form.more == 0) input = width;
        if (hidden == 0 || hidden > most_elements / 64) return no("hidden_size is out of range");
        const auto blocks = [&](std::int64_t k) { return hidden < 0 ? std::int64_t(-1) : k * hidden; };
        if (std::int64_t expected = blocks(gates); expected >= 0 && rows >= 0 && rows != expected)
            return no("W and R must have hidden_size rows per gate");
        if (std::int64_t expected = blocks(2 * gates); !fits(3, {&count, &expected}))
            return no("B must be [num_directions, 2 * gates * hidden_size]");
        if (!fits(4, {&batch})) return no("sequence_lens must be [batch_size]");
        for (int k = 5; k < 5 + states; ++k)
            if (!fits(k, {batch_first ? &batch : &count, batch_first ? &count : &batch, &hidden}))
                return no("initial states must be [num_directions, batch_size, hidden_size], or as `layout` says");
        if (std::int64_t expected = blocks(peepholes); peepholes > 0 && !fits(7, {&count, &expected}))
            return no("P must be [num_directions, 3 * hidden_size]");
        return yes();
    }
    constexpr verdict outputs(std::span<shape> y) const {
        for (std::size_t k = 0; k < y.size(); ++k) {
            if (k == 0)
                y[0] = batch_first ? shape{batch, steps, directions, hidden} : shape{steps, directions, batch, hidden};
            else
                y[k] = batch_first ? shape{batch, directions, hidden} : shape{directions, batch, hidden};
            if (!countable(y[k])) return no("the output is too large");
        }
        return yes();
    }
    // Where things are, in elements.
    constexpr std::int64_t x_step() const { return batch_first ? input : batch * input; }
    constexpr std::int64_t x_row() const { return batch_first ? steps * input : input; }
    constexpr std::int64_t x_at(std::int64_t step, std::int64_t b) const { return step * x_step() + b * x_row(); }
    constexpr std::int64_t state_at(int d, std::int64_t b) const {
        return (batch_first ? b * directions + d : d * batch + b) * hidden;
    }
    constexpr std::int64_t y_at(std::int64_t step, int d, std::int64_t b) const {
        return (batch_first ? (b * steps + step) * directions + d : (step * directions + d) * batch + b) * hidden;
    }
    constexpr bool backward(int d) const { return d == 1 || reverse; }
};

struct recurrent_params : recurrent_shape {
    presence has{};
    std::array<std::array<recurrent_activation, 3>, 2> activations{};  // f, g, h of each direction
    double clip = std::numeric_limits<double>::infinity();
    bool flag = false;  // LSTM: input_forget; GRU: linear_before_reset

    constexpr verdict read_attributes(const node_view& n, int functions) {
        if (const verdict v = read_functions(n, functions); !v) return v;
        for (int k = 1; k < n.input_count(); ++k)
            if (n.has_input(k) && n.input(k).type != (k == 4 ? element::i32 : n.input(0).type))
                return no("sequence_lens must be int32, the other inputs of one type");
        return yes();
    }
    // `functions` of the attribute `activations` per direction, and which they are without it.
    constexpr verdict read_functions(const node_view& n, int functions) {
        has = presence(n);
        using activation = recurrent_activation;
        const auto names = n.texts("activations");
        const auto alphas = n.reals("activation_alpha"), betas = n.reals("activation_beta");
        if (!names.empty() && int(names.size()) != functions * directions)
            return no("activations must name every function of every direction");
        std::size_t alpha = 0, beta = 0;
        for (int d = 0; d < directions; ++d)
            for (int k = 0; k < functions; ++k) {
                activation& a = activations[d][k];
                a.kind = usual(functions, k);
                if (!names.empty()) {
                    int index = -1;
                    for (int i = 0; i < int(std::size(activation::table)); ++i)
                        if (activation::table[i].name == names[d * functions + k]) index = i;
                    if (index < 0) return no("an activation is unknown");
                    a.kind = activation::function(index);
                }
                const auto& entry =
                    activation::table[a.kind];  // the lists hold numbers for those functions that take one
                a.alpha = entry.takes_alpha && alpha < alphas.size() ? alphas[alpha++] : entry.alpha;
                a.beta = entry.takes_beta && beta < betas.size() ? betas[beta++] : entry.beta;
            }
        clip = n.real("clip", 0);
        if (!(clip >= 0)) return no("clip must not be negative");
        if (clip == 0) clip = std::numeric_limits<double>::infinity();
        return yes();
    }
    // All attributes of a node of the operator of `Cell`.
    template <class Cell> constexpr verdict read_node(const node_view& n) {
        if (const verdict v = read(n, Cell::gates, Cell::states, Cell::peepholes); !v) return v;
        flag = n.integer(Cell::flag, 0) != 0;
        return read_attributes(n, Cell::functions);
    }
    static constexpr recurrent_activation::function usual(int functions, int k) {
        return k == 0 && functions > 1 ? recurrent_activation::sigmoid : recurrent_activation::tanh;
    }
    constexpr bool clips() const { return clip < std::numeric_limits<double>::infinity(); }
    constexpr bool usual_activations(int functions) const {
        for (int d = 0; d < directions; ++d)
            for (int k = 0; k < functions; ++k)
                if (activations[d][k].kind != usual(functions, k)) return false;
        return true;
    }
    // What is wrong with the values of a run's inputs; empty: nothing.
    std::string_view misfit(const arguments& a) const noexcept {
        const std::int32_t* lengths = has.in<std::int32_t>(a, 4);
        for (std::int64_t b = 0; lengths && b < batch; ++b)
            if (lengths[b] < 0 || lengths[b] > steps)
                return "sequence_lens: a length is negative or larger than the sequence";
        return {};
    }
    template <class A> constexpr A bounded(A x) const {  // NaN passes
        const A most = static_cast<A>(clip);
        return x > most ? most : x < -most ? -most : x;
    }
};

namespace op {
// `Functions` activations per direction; see recurrent_shape::read for the others. `flag` is the attribute that selects
// the cell's variant.
template <int Gates, int States, int Peepholes, int Functions> struct recurrent_operator : standard {
    static constexpr int gates = Gates, states = States, peepholes = Peepholes, functions = Functions;
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.required_outputs = 0};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        recurrent_shape s;
        const verdict v = s.read(n, gates, states, peepholes);
        return v ? s.outputs(y) : v;
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return recurrent_shape::flop(s); }
};
}  // namespace op

// The reference kernel: every sequence of every direction by itself. `Cell` defines a step, and how many numbers it
// keeps besides h: for each hidden unit, and more in all (`room`); `start`, which it may have, begins sequence b.
template <class T, class Cell> struct recurrent_kernel : simple_kernel {
    using params = typename Cell::params;
    using A = accumulator<T>;
    static constexpr verdict supports(const node_view& n) {
        params p;
        return p.template read_node<Cell>(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.template read_node<Cell>(n);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        std::int64_t numbers = Cell::numbers * p.hidden;
        if constexpr (requires { Cell::room(p); }) numbers += Cell::room(p);
        return {0, (p.hidden + numbers) * std::int64_t(sizeof(A))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const std::string_view reason = p.misfit(a); !reason.empty()) return c.fail(reason);
        const std::int32_t* lengths = p.has.template in<std::int32_t>(a, 4);
        A* h = reinterpret_cast<A*>(c.scratch);
        stop_check ends(c);
        for (int d = 0; d < p.directions; ++d)
            for (std::int64_t b = 0; b < p.batch; ++b) {
                const std::int64_t length = lengths ? lengths[b] : p.steps;
                const Cell cell(p, a, d, h + p.hidden);
                load(p.has.template in<T>(a, 5), p, d, b, h);
                if constexpr (Cell::states == 2) load(p.has.template in<T>(a, 6), p, d, b, h + p.hidden);
                if constexpr (requires { cell.start(b); }) cell.start(b);
                for (std::int64_t s = 0; s < p.steps; ++s) {
                    if (ends(Cell::gates * p.hidden * (p.input + p.hidden))) return status::stopped;
                    T* y = p.has.has_out(0)
                               ? a.out<T>(0) + p.y_at(p.backward(d) && s < length ? length - 1 - s : s, d, b)
                               : nullptr;
                    if (s < length) cell.step(a.in<T>(0) + p.x_at(p.backward(d) ? length - 1 - s : s, b), h);
                    for (std::int64_t i = 0; y && i < p.hidden; ++i) y[i] = s < length ? static_cast<T>(h[i]) : T(0);
                }
                store(p.has.template out<T>(a, 1), p, d, b, h);
                if constexpr (Cell::states == 2) store(p.has.template out<T>(a, 2), p, d, b, h + p.hidden);
            }
        return status::ok;
    }

  private:
    static void load(const T* from, const params& p, int d, std::int64_t b, A* to) {
        for (std::int64_t i = 0; i < p.hidden; ++i) to[i] = from ? static_cast<A>(from[p.state_at(d, b) + i]) : A(0);
    }
    static void store(T* to, const params& p, int d, std::int64_t b, const A* from) {
        for (std::int64_t i = 0; to && i < p.hidden; ++i) to[p.state_at(d, b) + i] = static_cast<T>(from[i]);
    }
};
template <class T, class Op> struct recurrent_cell {
    static constexpr int gates = Op::gates, states = Op::states, peepholes = Op::peepholes, functions = Op::functions;
    static constexpr std::string_view flag = Op::flag;
    using params = recurrent_params;
    using A = accumulator<T>;
    const recurrent_params& p;
    const T *w, *r, *bias;
    const std::array<recurrent_activation, 3>& f;
    std::int64_t rows;  // of W and R: gates * hidden
    recurrent_cell(const recurrent_params& q, const arguments& a, int d)
        : p(q),
          w(a.in<T>(1) + d * gates * q.hidden * q.input),
          r(a.in<T>(2) + d * gates * q.hidden * q.hidden),
          bias(q.has.has_in(3) ? a.in<T>(3) + d * 2 * gates * q.hidden : nullptr),
          f(q.activations[std::size_t(d)]),
          rows(gates * q.hidden) {}
    static A dot(const T* m, const auto* v, std::int64_t n) {
        A sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += static_cast<A>(m[i]) * static_cast<A>(v[i]);
        return sum;
    }
    A of_input(std::int64_t row, const T* x) const {
        return dot(w + row * p.input, x, p.input) + (bias ? static_cast<A>(bias[row]) : A(0));
    }
    A of_state(std::int64_t row, const A* h) const {
        return dot(r + row * p.hidden, h, p.hidden) + (bias ? static_cast<A>(bias[rows + row]) : A(0));
    }
};
}  // namespace v1
}  // namespace inlay
