// Where of elements of 8 to 64 bits on the CPU, in any layout.
#pragma once
#include <inlay/cpu/isa/choose.hpp>
#include <inlay/cpu/support/dense_piece.hpp>
#include <inlay/onnx/where.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct choose_kernel : where_kernel {
    struct state {
        choose_table::function<T> choose;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.choose = choose(u.level).template of<T>();
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const broadcast_loops<3>& l = p.loops;
        const std::int64_t i = l.along(0), j = l.along(1), k = l.along(2),
                           most = i == 1 && j == 1 && k == 1 ? l.elements() : piece_length;
        c.split(l.elements(), 16 * 1024, [&](std::int64_t first, std::int64_t end, int) noexcept {
            over_rows(l, first, end, [&](std::int64_t at, const auto& x, std::int64_t n) {
                const auto* condition = args.in<std::uint8_t>(0) + x[0];
                const T *yes = args.in<T>(1) + x[1], *no = args.in<T>(2) + x[2];
                T* y = args.out<T>(0) + at;
                if (n < short_row) {
                    for (std::int64_t e = 0; e < n; ++e) y[e] = condition[e * i] ? yes[e * j] : no[e * k];
                    return;
                }
                std::uint8_t bytes[piece_length];
                T room[2][piece_length];
                for (std::int64_t offset = 0, count; offset < n; offset += count) {
                    count = std::min(most, n - offset);
                    s.choose(dense_piece(condition + offset * i, i, count, bytes, offset > 0),
                             dense_piece(yes + offset * j, j, count, room[0], offset > 0),
                             dense_piece(no + offset * k, k, count, room[1], offset > 0), y + offset, count);
                }
            });
        });
        return status::ok;
    }
};
template <> struct kernel<op::where, device::cpu, types<bool, raw<8>>> : choose_kernel<std::uint8_t> {};
template <> struct kernel<op::where, device::cpu, types<bool, raw<16>>> : choose_kernel<std::uint16_t> {};
template <> struct kernel<op::where, device::cpu, types<bool, raw<32>>> : choose_kernel<std::uint32_t> {};
template <> struct kernel<op::where, device::cpu, types<bool, raw<64>>> : choose_kernel<std::uint64_t> {};
}  // namespace v1
}  // namespace inlay
