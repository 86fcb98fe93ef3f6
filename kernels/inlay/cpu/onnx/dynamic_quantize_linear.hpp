// DynamicQuantizeLinear on the CPU: one pass for the extremes, one for the integers.
#pragma once
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/cpu/isa/reduce_f32.hpp>
#include <inlay/onnx/dynamic_quantize_linear.hpp>

namespace inlay {
inline namespace v1 {
// Dynamic quantization of float32, with the scale and zero point of its range: also for integer matmuls.
struct dynamic_codes {
    const reduce_f32_table* extremes;
    const quantize_f32_table* codes;
    static constexpr std::int64_t grain = 1 << 14, block = 2048;             // block: read twice from the nearest cache
    static constexpr std::int64_t room(int threads) { return 2 * threads; }  // scratch, in float32 elements
    explicit dynamic_codes(isa::level l) noexcept : extremes(&reduce_f32(l)), codes(&quantize_f32(l)) {}
    dynamic_codes() = default;
    dynamic_quantization run(const float* x, std::int64_t count, std::uint8_t* y, float* extrema,
                             context& c) const noexcept {
        std::fill_n(extrema, 2 * c.threads, 0.f);  // minimum and maximum of 0 and each part
        c.split(count, grain, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            for (std::int64_t i = first; i < end; i += block) {
                const std::int64_t n = std::min(block, end - i);
                extremes->least.rows(x + i, 0, 1, n, extrema + 2 * part);
                extremes->largest.rows(x + i, 0, 1, n, extrema + 2 * part + 1);
            }
        });
        for (int k = 1; k < c.threads; ++k) {
            extremes->least.rows(extrema + 2 * k, 0, 1, 1, extrema);
            extremes->largest.rows(extrema + 2 * k + 1, 0, 1, 1, extrema + 1);
        }
        const dynamic_quantization q(extrema[0], extrema[1]);
        c.split(count, grain, [&](std::int64_t first, std::int64_t end, int) noexcept {
            codes->u8.quantize(x + first, y + first, end - first, q.scale, q.zero);
        });
        return q;
    }
};
template <> struct kernel<op::dynamic_quantize_linear, device::cpu, types<float, std::uint8_t>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    using state = dynamic_codes;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static constexpr bytes_needed footprint(const params&, isa::level, int threads) {
        return {0, dynamic_codes::room(threads) * std::int64_t(sizeof(float))};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = state(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        s.run(a.in<float>(0), p.count, a.out<std::uint8_t>(0), reinterpret_cast<float*>(c.scratch), c).put(a);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
