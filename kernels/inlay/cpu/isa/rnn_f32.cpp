// The cells of LSTM, GRU and RNN, element by element; the matmuls are gemm_f32's.
#include "along.hpp"
#include "math_f32.hpp"
#include "rnn_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::rnn_f32 {
INLAY_LOCAL void rnn(const float* sums, float* h, std::int64_t n) noexcept {
    along(n,
          [&](std::int64_t u, std::int64_t k) INLAY_INLINED { store_some(h + u, k, tanh_of(load_some(sums + u, k))); });
}
INLAY_LOCAL void lstm(const float* sums, std::int64_t gate, float* c, float* h, std::int64_t n) noexcept {
    along(n, [&](std::int64_t u, std::int64_t k) INLAY_INLINED {
        const lanes i = logistic_of(load_some(sums + u, k)), o = logistic_of(load_some(sums + gate + u, k)),
                    f = logistic_of(load_some(sums + 2 * gate + u, k)), g = tanh_of(load_some(sums + 3 * gate + u, k));
        const lanes next = fma(f, load_some(c + u, k), i * g);
        store_some(c + u, k, next);
        store_some(h + u, k, o * tanh_of(next));
    });
}
INLAY_LOCAL void gru_reset(const float* r, const float* x, const float* add, float* y, std::int64_t n) noexcept {
    along(n, [&](std::int64_t u, std::int64_t k) INLAY_INLINED {
        store_some(
            y + u, k,
            fma(logistic_of(load_some(r + u, k)), load_some(x + u, k), add ? load_some(add + u, k) : lanes(0.f)));
    });
}
INLAY_LOCAL void gru_update(const float* z, const float* g, const float* h, float* next, std::int64_t n) noexcept {
    along(n, [&](std::int64_t u, std::int64_t k) INLAY_INLINED {
        const lanes part = logistic_of(load_some(z + u, k));
        store_some(next + u, k, fma(part, load_some(h + u, k), (lanes(1.f) - part) * tanh_of(load_some(g + u, k))));
    });
}
}  // namespace INLAY_LEVEL::rnn_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(rnn_f32, rnn, lstm, gru_reset, gru_update)
