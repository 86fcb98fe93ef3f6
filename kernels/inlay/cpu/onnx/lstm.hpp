// LSTM of float32 on the CPU, without peepholes.
#pragma once
#include <inlay/cpu/support/recurrent.hpp>
#include <inlay/onnx/lstm.hpp>

namespace inlay {
inline namespace v1 {
struct lstm_f32_steps {
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(7)) return no("fast only without peepholes");
        return n.integer("input_forget", 0) == 0 ? yes() : no("fast only where input and forget gate are not coupled");
    }
    static constexpr int phases(const recurrent_params&) { return 1; }
    static constexpr bool bias_of_r(const recurrent_params&) { return false; }
    static void run(const recurrent_f32_step& s, int, const recurrent_params&) noexcept {
        for (int g = 0; g < 4; ++g) s.add_gate(s.turn ? 3 - g : g, s.h);
        s.each_row([&](std::int64_t, std::int64_t at, float* sums, std::int64_t units) {
            s.cell->lstm(sums, s.hidden, s.c + at, s.next + at, units);
        });
    }
};
template <>
struct kernel<op::lstm, device::cpu, types<float>>
    : packs_at_run<recurrent_f32_kernel<lstm_cell<float>, lstm_f32_steps>> {};
}  // namespace v1
}  // namespace inlay
