// GRU of float32 on the CPU. Where the reset gate comes before the matmul of R's last gate, that is a phase of its
// own: it needs all units.
#pragma once
#include <inlay/cpu/support/recurrent.hpp>
#include <inlay/onnx/gru.hpp>

namespace inlay {
inline namespace v1 {
struct gru_f32_steps {
    static constexpr verdict supports(const node_view&) { return yes(); }
    static constexpr int phases(const recurrent_params& p) { return p.flag ? 1 : 2; }
    static constexpr bool bias_of_r(const recurrent_params& p) { return p.flag; }  // it is multiplied by the reset gate
    static void run(const recurrent_f32_step& s, int phase, const recurrent_params& p) noexcept {
        if (phase == 0) {
            const auto add_candidate = [&] {
                if (p.flag) s.multiply(2, s.h, s.bias, nullptr, 0, s.extra, s.hidden);
            };
            if (s.turn) add_candidate();
            for (int g = 0; g < 2; ++g) s.add_gate(s.turn ? 1 - g : g, s.h);
            if (!s.turn) add_candidate();
            s.each_row([&](std::int64_t, std::int64_t at, float* z, std::int64_t units) {
                const float* r = z + s.hidden;
                float* n = z + 2 * s.hidden;
                if (p.flag)
                    s.cell->gru_reset(r, s.extra + at, n, n, units);
                else
                    s.cell->gru_reset(r, s.h + at, nullptr, s.extra + at, units);
            });
        }
        if (phase == 1) s.add_gate(2, s.extra);
        if (phase == 1 || p.flag)
            s.each_row([&](std::int64_t, std::int64_t at, float* z, std::int64_t units) {
                s.cell->gru_update(z, z + 2 * s.hidden, s.h + at, s.next + at, units);
            });
    }
};
template <>
struct kernel<op::gru, device::cpu, types<float>> : packs_at_run<recurrent_f32_kernel<gru_cell<float>, gru_f32_steps>> {
};
}  // namespace v1
}  // namespace inlay
