// AttnLSTM (com.microsoft, since 1): LSTM whose inputs are those of X and an attention state, which is zeros at first.
// After each step: alignments = Softmax over the memory's steps of the sum of V Tanh(M MW + h QW), context =
// alignments M, and the state is [h, context] AW, or the context where there is no AW. W: [num_directions,
// 4 * hidden_size, input_size + length of the state]. Inputs: those of LSTM, QW, MW, V, M [batch, steps, depth],
// memory_seq_lens, AW.
#pragma once
#include <inlay/onnx/lstm.hpp>

namespace inlay {
inline namespace v1 {
struct attn_lstm_params : recurrent_params {
    std::int64_t memory = -1, depth = -1, compared = -1, layer = -1;  // of M its steps and depth; of QW, AW the columns
    bool layered = false;
    enum argument : int { query_weights = 8, memory_weights, attention, memories, memory_lengths, layer_weights };

    constexpr std::int64_t attended() const { return layered ? layer : depth; }  // how long the state is
    constexpr verdict read_memory(const node_view& n) {
        for (int k : {query_weights, memory_weights, attention, memories})
            if (!n.has_input(k)) return no("QW, MW, V or M is missing");
        layered = n.has_input(layer_weights);
        const auto fits = [&](int k, std::initializer_list<std::int64_t*> sizes) {  // fills in what is not known yet
            if (!n.has_input(k) || n.input(k).dims.rank < 0) return true;
            const shape& dims = n.input(k).dims;
            if (dims.rank != int(sizes.size())) return false;
            int i = 0;
            for (std::int64_t* size : sizes) {
                const std::int64_t d = dims[i++];
                if (d >= 0 && *size >= 0 && d != *size) return false;
                if (*size < 0) *size = d;
            }
            return true;
        };
        std::int64_t count = n.text("direction", "forward") == "bidirectional" ? 2 : 1, units = -1;
        if (n.has_input(2) && n.input(2).dims.rank == 3) units = n.input(2).dims[2];
        std::int64_t samples = n.has_input(0) && n.input(0).dims.rank == 3 ? n.input(0).dims[1] : -1;
        if (!fits(memories, {&samples, &memory, &depth}) || !fits(memory_lengths, {&samples}))
            return no("M must be [batch_size, steps, depth], and memory_seq_lens [batch_size]");
        if (!fits(memory_weights, {&count, &depth, &compared}) || !fits(query_weights, {&count, &units, &compared}) ||
            !fits(attention, {&count, &compared}))
            return no("QW, MW and V must be [num_directions, ..., attention size] and fit hidden_size and M");
        std::int64_t total = units < 0 || depth < 0 ? -1 : units + depth;
        if (!fits(layer_weights, {&count, &total, &layer}))
            return no("AW must be [num_directions, hidden_size + depth of M, attention size]");
        return memory == 0 ? no("M has no steps") : yes();
    }
    constexpr verdict read_shapes(const node_view& n) {
        if (n.integer("layout", 0) != 0) return no("the attribute layout is LSTM's alone");
        if (const verdict v = read_memory(n); !v) return v;
        return read(n, 4, 2, 3, {.more = attended()});
    }
    template <class Cell> constexpr verdict read_node(const node_view& n) {
        if (const verdict v = read_shapes(n); !v) return v;
        flag = n.integer(Cell::flag, 0) != 0;
        for (int k = 1; k < n.input_count(); ++k)
            if (n.has_input(k) && n.input(k).type != (k == 4 || k == memory_lengths ? element::i32 : n.input(0).type))
                return no("sequence_lens and memory_seq_lens must be int32, the other inputs of one type");
        return read_functions(n, Cell::functions);
    }
    std::string_view misfit(const arguments& a) const noexcept {
        const std::int32_t* lengths = has.in<std::int32_t>(a, memory_lengths);
        for (std::int64_t b = 0; lengths && b < batch; ++b)
            if (lengths[b] < 1 || lengths[b] > memory)
                return "memory_seq_lens: a length is not positive or larger than the memory";
        return recurrent_params::misfit(a);
    }
};
namespace op {
struct attn_lstm : recurrent_operator<4, 2, 3, 3> {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "AttnLSTM", flag = "input_forget";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, double>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 14) return no("there are too many inputs");
        attn_lstm_params p;
        const verdict v = p.read_shapes(n);
        return v ? p.outputs(y) : v;
    }
};
}  // namespace op

template <class T> struct attn_lstm_cell {
    static constexpr int gates = 4, states = 2, functions = 3, numbers = 5;  // numbers: c, and the four gates
    static constexpr std::string_view flag = op::attn_lstm::flag;
    using params = attn_lstm_params;
    using A = accumulator<T>;
    static constexpr std::int64_t room(const params& p) {
        return p.attended() + p.depth + p.compared + p.memory * (p.compared + 1);
    }
    const params& p;
    const arguments& a;
    int d;
    lstm_gates<T> gates_of_step;
    A *c, *gate, *state, *context, *query, *weights, *keys;  // weights: the alignments
    mutable std::int64_t sequence = 0;

    attn_lstm_cell(const params& q, const arguments& args, int direction, A* memory)
        : p(q),
          a(args),
          d(direction),
          gates_of_step(q, args, direction),
          c(memory),
          gate(c + q.hidden),
          state(gate + gates * q.hidden),
          context(state + q.attended()),
          query(context + q.depth),
          weights(query + q.compared),
          keys(weights + q.memory) {}
    void start(std::int64_t b) const {
        sequence = b;
        std::fill_n(state, p.attended(), A(0));
        for (std::int64_t i = 0; i < p.memory; ++i)
            multiply(memory_at(i), p.depth, weights_of(params::memory_weights), p.compared, keys + i * p.compared,
                     false);
    }
    void step(const T* x, A* h) const {
        const std::int64_t rows = gates * p.hidden, width = p.input + p.attended();
        const T *w = a.in<T>(1) + d * rows * width, *r = a.in<T>(2) + d * rows * p.hidden;
        const T* bias = p.has.has_in(3) ? a.in<T>(3) + d * 2 * rows : nullptr;
        for (std::int64_t row = 0; row < rows; ++row) {
            A sum = bias ? static_cast<A>(bias[row]) + static_cast<A>(bias[rows + row]) : A(0);
            for (std::int64_t i = 0; i < p.input; ++i) sum += static_cast<A>(w[row * width + i]) * static_cast<A>(x[i]);
            for (std::int64_t i = 0; i < p.attended(); ++i)
                sum += static_cast<A>(w[row * width + p.input + i]) * state[i];
            for (std::int64_t i = 0; i < p.hidden; ++i) sum += static_cast<A>(r[row * p.hidden + i]) * h[i];
            gate[row] = sum;
        }
        gates_of_step.apply(gate, c, h);
        attend(h);
    }

  private:
    const T* weights_of(int k) const {  // of this direction
        const std::int64_t rows = k == params::query_weights ? p.hidden : p.depth;
        return a.in<T>(k) + d * rows * p.compared;
    }
    const T* memory_at(std::int64_t i) const { return a.in<T>(params::memories) + (sequence * p.memory + i) * p.depth; }
    // x, a row, times w; added to y, or written there.
    template <class X>
    static void multiply(const X* x, std::int64_t rows, const T* w, std::int64_t columns, A* y, bool added) {
        for (std::int64_t j = 0; j < columns; ++j) {
            A sum = added ? y[j] : A(0);
            for (std::int64_t i = 0; i < rows; ++i) sum += static_cast<A>(x[i]) * static_cast<A>(w[i * columns + j]);
            y[j] = sum;
        }
    }
    void align(std::int64_t steps) const {
        const T* v = a.in<T>(params::attention) + d * p.compared;
        A most = -std::numeric_limits<A>::infinity(), sum = 0;
        for (std::int64_t i = 0; i < steps; ++i) {
            A score = 0;
            for (std::int64_t j = 0; j < p.compared; ++j)
                score += static_cast<A>(v[j]) * std::tanh(keys[i * p.compared + j] + query[j]);
            weights[i] = score;
            most = std::max(most, score);
        }
        for (std::int64_t i = 0; i < steps; ++i) sum += weights[i] = std::exp(weights[i] - most);
        for (std::int64_t i = 0; i < steps; ++i) weights[i] /= sum;
    }
    void attend(const A* h) const {
        const std::int32_t* lengths = p.has.template in<std::int32_t>(a, params::memory_lengths);
        const std::int64_t steps = lengths ? lengths[sequence] : p.memory;
        multiply(h, p.hidden, weights_of(params::query_weights), p.compared, query, false);
        align(steps);
        std::fill_n(context, p.depth, A(0));
        for (std::int64_t i = 0; i < steps; ++i)
            for (std::int64_t j = 0; j < p.depth; ++j) context[j] += weights[i] * static_cast<A>(memory_at(i)[j]);
        if (!p.layered) {
            std::copy_n(context, p.depth, state);
            return;
        }
        const T* layer = a.in<T>(params::layer_weights) + d * (p.hidden + p.depth) * p.layer;
        multiply(h, p.hidden, layer, p.layer, state, false);
        multiply(context, p.depth, layer + p.hidden * p.layer, p.layer, state, true);
    }
};
template <class T>
struct kernel<op::attn_lstm, device::reference, types<T>> : recurrent_kernel<T, attn_lstm_cell<T>> {};
}  // namespace v1
}  // namespace inlay
