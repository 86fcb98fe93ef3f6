// QLinearAdd and QLinearMul on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/qlinear_binary.hpp>
#include <inlay/cpu/support/dense_piece.hpp>
#include <inlay/microsoft/qlinear_binary.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, qlinear_binary_table::functions qlinear_binary_table::*Functions>
struct qlinear_binary_kernel : simple_kernel {
    using plain = kernel<Op, device::reference, types<quantized::byte>>;
    using params = typename plain::params;
    struct state {
        qlinear_binary_table::function combine;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        const qlinear_binary_table::functions& f = qlinear_binary(u.level).*Functions;
        s.combine = p.type == element::i8 ? f.i8 : f.u8;
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        using quantized::linear_code;
        const linear_code a(p.type, args, 1, 2, p.has), b(p.type, args, 4, 5, p.has), y(p.type, args, 6, 7, p.has);
        const op::qlinear_binary::factors f = Op::by(a.scale, b.scale, y.scale);
        const qlinear_binary_table::scalings by{a.zero, b.zero, y.zero, f.a, f.b, f.result};
        const qlinear_binary_table::scalings other_way{b.zero, a.zero, y.zero, f.b, f.a, f.result};
        const std::int64_t i = p.loops.along(0), j = p.loops.along(3);
        c.split(p.loops.elements(), 16384, [&](std::int64_t first, std::int64_t end, int) {
            over_rows(p.loops, first, end, [&](std::int64_t at, const auto& x, std::int64_t n) {
                const std::uint8_t *const left = args.in<std::uint8_t>(0) + x[0], *const right =
                                                                                      args.in<std::uint8_t>(3) + x[3];
                std::uint8_t* const to = args.out<std::uint8_t>(0) + at;
                if (i == 1 && j <= 1) return s.combine(left, right, j == 0, to, n, by);
                if (i == 0 && j == 1) return s.combine(right, left, true, to, n, other_way);
                std::uint8_t room[2][piece_length];
                for (std::int64_t offset = 0, count; offset < n; offset += count) {
                    count = std::min(piece_length, n - offset);
                    s.combine(dense_piece(left + offset * i, i, count, room[0], offset > 0),
                              dense_piece(right + offset * j, j, count, room[1], offset > 0), false, to + offset, count,
                              by);
                }
            });
        });
        return status::ok;
    }
};
template <>
struct kernel<op::qlinear_add, device::cpu, types<quantized::byte>>
    : qlinear_binary_kernel<op::qlinear_add, &qlinear_binary_table::add> {};
template <>
struct kernel<op::qlinear_mul, device::cpu, types<quantized::byte>>
    : qlinear_binary_kernel<op::qlinear_mul, &qlinear_binary_table::mul> {};
}  // namespace v1
}  // namespace inlay
