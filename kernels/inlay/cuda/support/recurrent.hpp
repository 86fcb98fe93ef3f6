// LSTM, GRU and RNN of floating-point types on CUDA, with states in float32 from step to step: a kernel per step (GRU
// without linear_before_reset: two), a warp per hidden unit. Limit: the launches, and W and R from the second-level
// cache once a step.
#pragma once
#include <inlay/onnx/gru.hpp>
#include <inlay/onnx/lstm.hpp>
#include <inlay/onnx/rnn.hpp>

namespace inlay {
inline namespace v1 {
template <class T, class Cell> struct recurrent_on_cuda : simple_kernel {
    using params = recurrent_params;
    using plain = recurrent_kernel<T, Cell>;
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, 5 * p.directions * p.batch * p.hidden * std::int64_t(sizeof(float))};
    }  // h twice, and what a cell keeps
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // recurrent.cu
};
}  // namespace v1
}  // namespace inlay
