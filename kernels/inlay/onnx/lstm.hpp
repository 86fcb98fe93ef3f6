// LSTM (since 1): i, o, f = f(W x + R h + b + P . c), c' = f . c + i . g(W x + R h + b), h' = o . h(c'), along a
// sequence, in one or two directions.
#pragma once
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct lstm : recurrent_operator<4, 2, 3, 3> {
    static constexpr std::string_view onnx_name = "LSTM", flag = "input_forget";
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
// The cell after the matmuls: accumulators of i, o, f and the cell's gate, a block of hidden units each.
template <class T> struct lstm_gates {
    using A = accumulator<T>;
    const recurrent_params& p;
    const std::array<recurrent_activation, 3>& f;
    const T* peephole;  // of i, o and f
    lstm_gates(const recurrent_params& q, const arguments& a, int d)
        : p(q), f(q.activations[std::size_t(d)]), peephole(q.has.has_in(7) ? a.in<T>(7) + d * 3 * q.hidden : nullptr) {}
    void apply(const A* gate, A* c, A* h) const {
        const std::int64_t n = p.hidden;
        const auto peep = [&](int k, std::int64_t u, A cell) {
            return peephole ? static_cast<A>(peephole[k * n + u]) * cell : A(0);
        };
        for (std::int64_t u = 0; u < n; ++u) {
            const A i = f[0](p.bounded(gate[u] + peep(0, u, c[u])));
            const A forget = p.flag ? A(1) - i : f[0](p.bounded(gate[2 * n + u] + peep(2, u, c[u])));
            c[u] = forget * c[u] + i * f[1](p.bounded(gate[3 * n + u]));
            h[u] = f[0](p.bounded(gate[n + u] + peep(1, u, c[u]))) * f[2](c[u]);
        }
    }
};
template <class T> struct lstm_cell : recurrent_cell<T, op::lstm> {
    static constexpr int numbers = 5;  // c, and the four gates
    using cell = recurrent_cell<T, op::lstm>;
    using typename cell::A;
    lstm_gates<T> gates_of_step;
    A* c;
    lstm_cell(const recurrent_params& q, const arguments& a, int d, A* memory)
        : cell(q, a, d), gates_of_step(q, a, d), c(memory) {}
    void step(const T* x, A* h) const {
        A* gate = c + this->p.hidden;
        for (std::int64_t row = 0; row < cell::gates * this->p.hidden; ++row)
            gate[row] = this->of_input(row, x) + this->of_state(row, h);
        gates_of_step.apply(gate, c, h);
    }
};
template <class T> struct kernel<op::lstm, device::reference, types<T>> : recurrent_kernel<T, lstm_cell<T>> {};
}  // namespace v1
}  // namespace inlay
