// Pad on the CPU, in either layout: rows along the last padded axis, copied into place between the padding before and
// after them.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/pad.hpp>

namespace inlay {
inline namespace v1 {
class pad_position {  // of a row of the output, in the axes before the last one
    const pad_rows& p;
    std::array<std::int64_t, max_rank> at{}, from{};  // from: where it is in the input, by the axes up to this one
    void find(int axis) {
        for (; axis < p.last_axis; ++axis) {
            const std::int64_t before = axis ? from[axis - 1] : 0,
                               k = before < 0 ? -1 : p.axes[axis].source(at[axis], p.mode);
            from[axis] = k < 0 ? -1 : before + k * p.steps[axis];
        }
    }

  public:
    pad_position(const pad_rows& rows, std::int64_t index) : p(rows) {
        for (int a = p.last_axis - 1; a >= 0; --a) {
            at[a] = index % p.axes[a].size;
            index /= p.axes[a].size;
        }
        find(0);
    }
    std::int64_t source() const { return p.last_axis ? from[p.last_axis - 1] : 0; }  // -1: the constant
    void next() {
        for (int a = p.last_axis - 1; a >= 0; --a) {
            if (++at[a] < p.axes[a].size) return find(a);
            at[a] = 0;
        }
    }
};

template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::pad, device::cpu, types<raw<Bits>>> : pad_kernel {
    using params = pad_rows;
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static constexpr params prepare(const node_view& n) { return pad_rows::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr std::int64_t size = Bits / 8;
        const pad_axis& l = p.axes[p.last_axis];
        const std::int64_t bytes = p.inner * size, row = l.size * bytes, begin = std::min(l.at, l.size),
                           end = std::min(l.at + l.length, l.size);
        if (p.rows * row == 0) return status::ok;
        blank<raw<Bits>> default_value;
        const auto* around = static_cast<const std::byte*>(p.around.get(a, default_value));
        c.split(p.rows, 1 + 16384 / row, [&](std::int64_t first, std::int64_t row_end, int) {
            pad_position at(p, first);
            for (std::byte* y = a.out<std::byte>(0) + first * row; first < row_end; ++first, y += row, at.next()) {
                if (at.source() < 0) {
                    fill_row<Bits>(y, around, l.size * p.inner);
                    continue;
                }
                const std::byte* x = a.in<std::byte>(0) + at.source() * size;
                const auto edge = [&](std::int64_t from, std::int64_t to) {
                    if (p.mode == padding::constant)
                        fill_row<Bits>(y + from * bytes, around, (to - from) * p.inner);
                    else
                        for (std::int64_t o = from; o < to; ++o)
                            copy_row(y + o * bytes, x + l.source(o, p.mode) * bytes, bytes);
                };
                edge(0, begin);
                copy_row(y + begin * bytes, x + l.first * bytes, (end - begin) * bytes);
                edge(end, l.size);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
