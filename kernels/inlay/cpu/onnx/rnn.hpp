// RNN of float32 on the CPU.
#pragma once
#include <inlay/cpu/support/recurrent.hpp>
#include <inlay/onnx/rnn.hpp>

namespace inlay {
inline namespace v1 {
struct rnn_f32_steps {
    static constexpr verdict supports(const node_view&) { return yes(); }
    static constexpr int phases(const recurrent_params&) { return 1; }
    static constexpr bool bias_of_r(const recurrent_params&) { return false; }
    static void run(const recurrent_f32_step& s, int, const recurrent_params&) noexcept {
        s.add_gate(0, s.h);
        s.each_row([&](std::int64_t, std::int64_t at, float* sums, std::int64_t units) {
            s.cell->rnn(sums, s.next + at, units);
        });
    }
};
template <>
struct kernel<op::rnn, device::cpu, types<float>> : packs_at_run<recurrent_f32_kernel<rnn_cell<float>, rnn_f32_steps>> {
};
}  // namespace v1
}  // namespace inlay
