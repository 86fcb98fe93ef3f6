// The cell of a step of LSTM, GRU or RNN, after its matmuls, for n hidden units of one sequence.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct rnn_f32_table {
    void (*rnn)(const float* sums, float* h, std::int64_t n) noexcept;  // h = tanh(accumulators)
    // c = logistic(f) c + logistic(i) tanh(g), h = logistic(o) tanh(c); accumulators of i, o, f and g lie `gate` apart.
    void (*lstm)(const float* sums, std::int64_t gate, float* c, float* h, std::int64_t n) noexcept;
    // y = logistic(r) x + add, where add may be null.
    void (*gru_reset)(const float* r, const float* x, const float* add, float* y, std::int64_t n) noexcept;
    // next = (1 - z) tanh(g) + z h with z = logistic(the accumulators of z).
    void (*gru_update)(const float* z, const float* g, const float* h, float* next, std::int64_t n) noexcept;
};
const rnn_f32_table& rnn_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "rnn_f32.cpp"
#endif
