// DynamicQuantizeLinear on the CPU: one pass for the extremes, one for the integers.
#pragma once
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/cpu/isa/reduce_f32.hpp>
#include <inlay/onnx/dynamic_quantize_linear.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::dynamic_quantize_linear, device::cpu, types<float, std::uint8_t>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    struct state {
        const reduce_f32_table* extremes;
        const quantize_f32_table* codes;
    };
    static constexpr std::int64_t grain = 1 << 14, block = 2048;  // block: read twice from the nearest cache
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static constexpr bytes_needed footprint(const params&, isa::level, int threads) {
        return {0, 2 * threads * std::int64_t(sizeof(float))};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {&reduce_f32(u.level), &quantize_f32(u.level)};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const float* x = a.in<float>(0);
        auto* const found = reinterpret_cast<float*>(c.scratch);  // least and largest of 0 and each part
        std::fill_n(found, 2 * c.threads, 0.f);
        c.split(p.count, grain, [&](std::int64_t first, std::int64_t last, int part) noexcept {
            for (std::int64_t i = first; i < last; i += block) {
                const std::int64_t n = std::min(block, last - i);
                s.extremes->least.rows(x + i, 0, 1, n, found + 2 * part);
                s.extremes->largest.rows(x + i, 0, 1, n, found + 2 * part + 1);
            }
        });
        for (int k = 1; k < c.threads; ++k) {
            s.extremes->least.rows(found + 2 * k, 0, 1, 1, found);
            s.extremes->largest.rows(found + 2 * k + 1, 0, 1, 1, found + 1);
        }
        const dynamic_quantization q(found[0], found[1]);
        q.put(a);
        c.split(p.count, grain, [&](std::int64_t first, std::int64_t last, int) noexcept {
            s.codes->u8.quantize(x + first, a.out<std::uint8_t>(0) + first, last - first, q.scale, q.zero);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
