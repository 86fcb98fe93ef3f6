// QLinearWhere on the CPU, in any layout: a lookup table of 256 values for either operand.
#pragma once
#include <inlay/cpu/isa/choose.hpp>
#include <inlay/cpu/support/code_tables.hpp>
#include <inlay/cpu/support/dense_piece.hpp>
#include <inlay/microsoft/qlinear_where.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::qlinear_where, device::cpu, types<bool, quantized::byte>>
    : looked_up<kernel<op::qlinear_where, device::reference, types<bool, quantized::byte>>> {
    using base = looked_up<kernel<op::qlinear_where, device::reference, types<bool, quantized::byte>>>;
    struct state : base::state {
        choose_table::function<std::uint8_t> choose;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.choose = choose(u.level).bits8;
        return base::bind(p, w, u, s);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::uint8_t* const codes = tables(p, s, a, c);
        const auto& l = p.of.loops;
        const std::int64_t step = l.along(0), i = l.along(1), j = l.along(4);
        c.split(l.elements(), 16384, [&](std::int64_t first, std::int64_t end, int) {
            over_rows(l, first, end, [&](std::int64_t at, const auto& from, std::int64_t n) {
                const auto *condition = a.in<std::uint8_t>(0) + from[0], *x = a.in<std::uint8_t>(1) + from[1],
                           *y = a.in<std::uint8_t>(4) + from[4];
                std::uint8_t room[3][piece_length], mapped[2][piece_length];
                for (std::int64_t offset = 0, count; offset < n; offset += count) {
                    count = std::min(piece_length, n - offset);
                    const bool again = offset > 0;
                    s.table->run(codes, dense_piece(x + offset * i, i, count, room[0], again), mapped[0], count);
                    s.table->run(codes + 256, dense_piece(y + offset * j, j, count, room[1], again), mapped[1], count);
                    s.choose(dense_piece(condition + offset * step, step, count, room[2], again), mapped[0], mapped[1],
                             a.out<std::uint8_t>(0) + at + offset, count);
                }
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
