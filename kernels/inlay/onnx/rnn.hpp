// RNN (since 1): h' = f(W x + R h + b), along a sequence, in one or two directions.
#pragma once
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct rnn : standard {
    static constexpr std::string_view onnx_name = "RNN";
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.required_outputs = 0};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        recurrent_shape s;
        const verdict v = s.read(n, 1, 1, 0);
        return v ? s.outputs(y) : v;
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return recurrent_shape::flop(s); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct rnn_cell : recurrent_cell<T> {
    static constexpr int gates = 1, states = 1, peepholes = 0, functions = 1, numbers = 1;  // numbers: the sums
    static constexpr std::string_view flag{};
    using typename recurrent_cell<T>::A;
    using recurrent_cell<T>::p;
    using recurrent_cell<T>::f;
    A* room;
    rnn_cell(const recurrent_params& q, const arguments& a, int d, A* sums)
        : recurrent_cell<T>(q, a, d, gates), room(sums) {}
    void step(const T* x, A* h) const {
        for (std::int64_t u = 0; u < p.hidden; ++u) room[u] = this->of_input(u, x) + this->of_state(u, h);
        for (std::int64_t u = 0; u < p.hidden; ++u) h[u] = f[0](p.bounded(room[u]));
    }
};
template <class T> struct kernel<op::rnn, device::reference, types<T>> : recurrent_kernel<T, rnn_cell<T>> {};
}  // namespace v1
}  // namespace inlay
