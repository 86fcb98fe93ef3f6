// Reductions of float32 on the CPU, but for ReduceProd and ReduceLogSumExp: along memory or across it, whichever way
// the innermost axes go.
#pragma once
#include <inlay/cpu/isa/reduce_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/reduce.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
template <class Op, reduce_f32_table::fold reduce_f32_table::*Fold> struct fold_f32_kernel : simple_kernel {
    struct params {
        reduction_loops loops;
    };
    struct state {
        const reduce_f32_table* functions;
    };
    static constexpr verdict supports(const node_view& n) { return reduction_kernel<Op, float>::supports(n); }
    static constexpr layout_rule layouts(const node_view& n) { return reduction_layouts(n); }
    static constexpr params prepare(const node_view& n) { return {reduction_kernel<Op, float>::prepare(n).loops}; }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &reduce_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const float* x = a.in<float>(0);
        float* y = a.out<float>(0);
        const reduce_f32_table::fold& fold = s.functions->*Fold;
        constexpr float infinity = std::numeric_limits<float>::infinity(),
                        identity = std::is_same_v<Op, op::reduce_max>   ? -infinity
                                   : std::is_same_v<Op, op::reduce_min> ? infinity
                                                                        : 0.f;
        const reduction_loops& l = p.loops;
        const std::int64_t count = l.elements(true);
        const int inner = l.rank - 1;
        const bool along =
            inner < 0 ||
            l.loops[inner].reduced;  // neighbours give one result; else vectors of results are next to each other
        c.split(l.elements(false), 1 + (1 << 14) / std::max<std::int64_t>(count, 1),
                [&](std::int64_t first, std::int64_t end, int) {
                    std::fill(y + first, y + end, identity);
                    for (std::int64_t output = first; output < end;) {
                        const kept_run run = next_run(l, output, end);
                        if (along) {
                            const std::int64_t n = inner < 0 ? 1 : l.loops[inner].count;
                            l.walk(true, inner, [&](std::int64_t offset) {
                                fold.rows(x + run.offset + offset, run.step, run.count, n, y + output);
                            });
                        } else {  // the loop before the innermost is reduced, or there is none
                            const auto rows = inner > 0 ? l.loops[inner - 1] : reduction_loops::loop{};
                            l.walk(true, inner - 1, [&](std::int64_t offset) {
                                fold.columns(x + run.offset + offset, rows.step, rows.count, run.count, y + output);
                            });
                        }
                        output += run.count;
                    }
                    if constexpr (std::is_same_v<Op, op::reduce_mean>)
                        s.functions->divide(y + first, end - first, static_cast<float>(count));
                    if constexpr (std::is_same_v<Op, op::reduce_l2>)
                        std::transform(y + first, y + end, y + first, [](float x) { return std::sqrt(x); });
                    if constexpr (std::is_same_v<Op, op::reduce_log_sum>)
                        std::transform(y + first, y + end, y + first, [](float x) { return std::log(x); });
                });
        return status::ok;
    }

  private:
    struct kept_run {  // outputs that follow each other along the innermost kept loop
        std::int64_t offset, step, count;
    };
    static kept_run next_run(const reduction_loops& l, std::int64_t output, std::int64_t end) noexcept {
        kept_run run{0, 0, end - output};
        bool innermost = true;
        for (int i = l.rank - 1; i >= 0; --i) {
            const auto& loop = l.loops[i];
            if (loop.reduced) continue;
            const std::int64_t at = output % loop.count;
            if (innermost) run = {0, loop.step, std::min(run.count, loop.count - at)};
            innermost = false;
            run.offset += at * loop.step;
            output /= loop.count;
        }
        return run;
    }
};
template <>
struct kernel<op::reduce_mean, device::cpu, types<float>> : fold_f32_kernel<op::reduce_mean, &reduce_f32_table::sum> {};
template <>
struct kernel<op::reduce_sum, device::cpu, types<float>> : fold_f32_kernel<op::reduce_sum, &reduce_f32_table::sum> {};
template <>
struct kernel<op::reduce_max, device::cpu, types<float>> : fold_f32_kernel<op::reduce_max, &reduce_f32_table::largest> {
};
template <>
struct kernel<op::reduce_min, device::cpu, types<float>> : fold_f32_kernel<op::reduce_min, &reduce_f32_table::least> {};
template <>
struct kernel<op::reduce_l1, device::cpu, types<float>>
    : fold_f32_kernel<op::reduce_l1, &reduce_f32_table::magnitudes> {};
template <>
struct kernel<op::reduce_l2, device::cpu, types<float>> : fold_f32_kernel<op::reduce_l2, &reduce_f32_table::squares> {};
template <>
struct kernel<op::reduce_sum_square, device::cpu, types<float>>
    : fold_f32_kernel<op::reduce_sum_square, &reduce_f32_table::squares> {};
template <>
struct kernel<op::reduce_log_sum, device::cpu, types<float>>
    : fold_f32_kernel<op::reduce_log_sum, &reduce_f32_table::sum> {};
}  // namespace v1
}  // namespace inlay
