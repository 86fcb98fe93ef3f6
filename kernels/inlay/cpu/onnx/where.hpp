// Where of elements of 32 bits on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/binary_f32.hpp>
#include <inlay/onnx/where.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::where, device::cpu, types<bool, raw<32>>> : where_kernel {
    struct state {
        const binary_f32_table* functions;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &binary_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const broadcast_loops<3>& l = p.loops;
        const auto* condition = args.in<std::uint8_t>(0);
        const float *yes = args.in<float>(1), *no = args.in<float>(2);
        float* y = args.out<float>(0);
        const bool vectors = l.along(0) <= 1 && l.along(1) <= 1 && l.along(2) <= 1;
        const auto choose = s.functions->where[vectors ? 4 * l.along(0) + 2 * l.along(1) + l.along(2) : 0];
        c.split(l.elements(), 16 * 1024, [&](std::int64_t first, std::int64_t last, int) {
            if (vectors)
                return over_blocks(l, first, last,
                                   [&](std::int64_t at, const auto& x, std::int64_t rows, std::int64_t n) {
                                       choose(condition + x[0], l.between(0), yes + x[1], l.between(1), no + x[2],
                                              l.between(2), y + at, rows, n);
                                   });
            over_rows(l, first, last, [&](std::int64_t at, const auto& x, std::int64_t n) {
                for (std::int64_t e = 0; e < n; ++e)
                    y[at + e] =
                        condition[x[0] + e * l.along(0)] ? yes[x[1] + e * l.along(1)] : no[x[2] + e * l.along(2)];
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
