// Sum, Mean, Min and Max of float32 on the CPU, in any layout: combined in pieces that stay in the first-level cache.
#pragma once
#include "binary.hpp"
#include <inlay/onnx/sum.hpp>

namespace inlay {
inline namespace v1 {
template <binary_f32_table::forms binary_f32_table::*Function, bool Mean = false>
struct joining_f32_kernel : sum_kernel {
    struct state {
        const binary_f32_table::forms *join, *divide;
    };
    static constexpr layout_rule layouts(
        const node_view& n) {  // of more inputs, a constant might keep another layout than the rest
        return n.input_count() <= params::most ? layout_rule{layout::any, layout::any} : layout_rule{};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {&(binary_f32(u.level).*Function), &binary_f32(u.level).div};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        constexpr std::int64_t most = 2048;
        c.split(p.loops.elements(), 16 * 1024, [&](std::int64_t first, std::int64_t end, int) {
            over_rows(p.loops, first, end, [&](std::int64_t at, const auto& x, std::int64_t n) {
                for (std::int64_t offset = 0; offset < n; offset += most) {
                    const std::int64_t count = std::min(most, n - offset);
                    float* y = args.out<float>(0) + at + offset;
                    const auto piece = [&](int k) {
                        const int o = p.operand(k);
                        return block_f32{args.in<float>(k) + x[o] + offset * p.loops.along(o), p.loops.along(o), 0};
                    };
                    if (p.inputs == 1) {
                        if (y != piece(0).data) std::copy_n(piece(0).data, count, y);
                        continue;
                    }
                    combine(*s.join, piece(0), piece(1), y, 1, count);
                    for (int k = 2; k < p.inputs; ++k) combine(*s.join, {y, 1, 0}, piece(k), y, 1, count);
                    if (const float inputs = static_cast<float>(p.inputs); Mean)
                        combine(*s.divide, {y, 1, 0}, {&inputs, 0, 0}, y, 1, count);
                }
            });
        });
        return status::ok;
    }
};
template <> struct kernel<op::sum, device::cpu, types<float>> : joining_f32_kernel<&binary_f32_table::add> {};
template <> struct kernel<op::mean, device::cpu, types<float>> : joining_f32_kernel<&binary_f32_table::add, true> {};
template <> struct kernel<op::max, device::cpu, types<float>> : joining_f32_kernel<&binary_f32_table::max> {};
template <> struct kernel<op::min, device::cpu, types<float>> : joining_f32_kernel<&binary_f32_table::min> {};
}  // namespace v1
}  // namespace inlay
