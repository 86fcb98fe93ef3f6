// Softmax and LogSoftmax of float32 on the CPU: along memory, or across it in vectors of neighbours.
#pragma once
#include <inlay/cpu/isa/softmax_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/softmax.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
template <softmax_f32_table::rows softmax_f32_table::*Rows, softmax_f32_table::columns softmax_f32_table::*Columns>
struct softmax_f32_kernel : simple_kernel {
    using params = softmax_params;
    struct state {
        softmax_f32_table::rows rows;
        softmax_f32_table::columns columns;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view& n) { return params::layouts(n); }
    static constexpr params prepare(const node_view& n) { return softmax_params::of(n); }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {softmax_f32(u.level).*Rows, softmax_f32(u.level).*Columns};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const float* x = a.in<float>(0);
        float* y = a.out<float>(0);
        const std::int64_t grain = 1 + (1 << 12) / std::max<std::int64_t>(p.length, 1);
        if (p.inner == 1) {
            c.split(p.outer, grain, [&](std::int64_t first, std::int64_t end, int) {
                s.rows(x + first * p.length, y + first * p.length, end - first, p.length);
            });
            return status::ok;
        }
        c.split(p.outer * p.inner, grain, [&](std::int64_t first, std::int64_t end, int) {
            while (first < end) {
                const std::int64_t o = first / p.inner, from = first % p.inner,
                                   to = std::min(p.inner, from + end - first);
                s.columns(x + o * p.length * p.inner, y + o * p.length * p.inner, p.length, p.inner, from, to);
                first += to - from;
            }
        });
        return status::ok;
    }
};
template <>
struct kernel<op::softmax, device::cpu, types<float>>
    : softmax_f32_kernel<&softmax_f32_table::softmax, &softmax_f32_table::softmax_columns> {};
template <>
struct kernel<op::log_softmax, device::cpu, types<float>>
    : softmax_f32_kernel<&softmax_f32_table::log_softmax, &softmax_f32_table::log_softmax_columns> {};
}  // namespace v1
}  // namespace inlay
