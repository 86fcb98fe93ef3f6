// RNN (since 1): h' = f(W x + R h + b), along a sequence, in one or two directions.
#pragma once
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct rnn : recurrent_operator<1, 1, 0, 1> {
    static constexpr std::string_view onnx_name = "RNN", flag{};
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct rnn_cell : recurrent_cell<T, op::rnn> {
    static constexpr int numbers = 1;  // the accumulators
    using cell = recurrent_cell<T, op::rnn>;
    using cell::f;
    using cell::p;
    using typename cell::A;
    A* room;
    rnn_cell(const recurrent_params& q, const arguments& a, int d, A* sums) : cell(q, a, d), room(sums) {}
    void step(const T* x, A* h) const {
        for (std::int64_t u = 0; u < p.hidden; ++u) room[u] = this->of_input(u, x) + this->of_state(u, h);
        for (std::int64_t u = 0; u < p.hidden; ++u) h[u] = f[0](p.bounded(room[u]));
    }
};
template <class T> struct kernel<op::rnn, device::reference, types<T>> : recurrent_kernel<T, rnn_cell<T>> {};
}  // namespace v1
}  // namespace inlay
