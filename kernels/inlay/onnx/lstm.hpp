// LSTM (since 1): i, o, f = f(W x + R h + b + P . c), c' = f . c + i . g(W x + R h + b), h' = o . h(c'), along a
// sequence, in one or two directions.
#pragma once
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct lstm : standard {
    static constexpr std::string_view onnx_name = "LSTM";
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.required_outputs = 0};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        recurrent_shape s;
        const verdict v = s.read(n, 4, 2, 3);
        return v ? s.outputs(y) : v;
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return recurrent_shape::flop(s); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct lstm_cell : recurrent_cell<T> {
    static constexpr int gates = 4, states = 2, peepholes = 3, functions = 3,
                         numbers = 5;  // numbers: c, and the four gates
    static constexpr std::string_view flag = "input_forget";
    using typename recurrent_cell<T>::A;
    using recurrent_cell<T>::p;
    using recurrent_cell<T>::f;
    const T* peephole;  // of i, o and f
    A* c;
    lstm_cell(const recurrent_params& q, const arguments& a, int d, A* memory)
        : recurrent_cell<T>(q, a, d, gates),
          peephole(q.has.has_in(7) ? a.in<T>(7) + d * 3 * q.hidden : nullptr),
          c(memory) {}
    void step(const T* x, A* h) const {
        const std::int64_t n = p.hidden;
        A* gate = c + n;
        for (std::int64_t row = 0; row < gates * n; ++row) gate[row] = this->of_input(row, x) + this->of_state(row, h);
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
template <class T> struct kernel<op::lstm, device::reference, types<T>> : recurrent_kernel<T, lstm_cell<T>> {};
}  // namespace v1
}  // namespace inlay
