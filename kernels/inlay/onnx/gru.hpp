// GRU (since 1): z, r = f(W x + R h + b), n = g(W x + R (r . h) + b), or g(W x + r . (R h + b)) where
// linear_before_reset; h' = (1 - z) . n + z . h, along a sequence, in one or two directions.
#pragma once
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct gru : recurrent_operator<3, 1, 0, 2> {
    static constexpr std::string_view onnx_name = "GRU", flag = "linear_before_reset";
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct gru_cell : recurrent_cell<T, op::gru> {
    static constexpr int numbers = 3;  // z, r, and r . h
    using cell = recurrent_cell<T, op::gru>;
    using cell::f;
    using cell::p;
    using typename cell::A;
    A* room;
    gru_cell(const recurrent_params& q, const arguments& a, int d, A* numbers) : cell(q, a, d), room(numbers) {}
    void step(const T* x, A* h) const {
        const std::int64_t n = p.hidden;
        A *z = room, *r = room + n, *next = room + 2 * n;
        for (std::int64_t u = 0; u < 2 * n; ++u) z[u] = f[0](p.bounded(this->of_input(u, x) + this->of_state(u, h)));
        if (p.flag)
            for (std::int64_t u = 0; u < n; ++u)
                next[u] = this->of_input(2 * n + u, x) + r[u] * this->of_state(2 * n + u, h);
        else {
            for (std::int64_t u = 0; u < n; ++u) r[u] *= h[u];
            for (std::int64_t u = 0; u < n; ++u) next[u] = this->of_input(2 * n + u, x) + this->of_state(2 * n + u, r);
        }
        for (std::int64_t u = 0; u < n; ++u) h[u] = (A(1) - z[u]) * f[1](p.bounded(next[u])) + z[u] * h[u];
    }
};
template <class T> struct kernel<op::gru, device::reference, types<T>> : recurrent_kernel<T, gru_cell<T>> {};
}  // namespace v1
}  // namespace inlay
