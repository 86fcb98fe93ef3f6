// Pad on the CPU, in either layout: rows along the last axis that is padded, copied into place between what is put before and after them.
#pragma once
#include "../pad.hpp"
#include "strided_copy.hpp"

namespace inlay::inline v1 {
struct pad_rows {
    std::array<pad_axis, max_rank> axes{};  // in the order of memory; those that are not padded are merged into others where they can be
    shape steps = shape::of_rank(max_rank, 0);  // of the input, in elements
    int last = 0;
    std::int64_t rows = 1, inner = 1;       // rows: of the output; inner: elements behind the last axis, which stay together
    padding mode;
    pad_kernel::constant around;
    static constexpr pad_rows of(const node_view& n) {
        pad_rows p;
        p.mode = op::pad::mode(n);
        p.around = pad_kernel::constant::of(n);
        pad_axes given;
        op::pad::read(n, given);
        const int rank = n.output(0).dims.rank;
        const bool channels_last = rank >= 3 && n.output_layout(0) == layout::channels_last;
        const auto in_memory = [&](int i) { return !channels_last || i == 0 ? i : i == rank - 1 ? 1 : i + 1; };
        int behind = rank;
        for (; behind > 0 && given.list[in_memory(behind - 1)].whole(); --behind) p.inner *= given.list[in_memory(behind - 1)].size;
        p.last = -1;
        for (int i = 0; i < behind; ++i) {
            const pad_axis& next = given.list[in_memory(i)];
            if (p.last >= 0 && next.whole() && (p.mode == padding::constant || p.axes[p.last].whole()))
                for (std::int64_t pad_axis::*part : {&pad_axis::size, &pad_axis::at, &pad_axis::first, &pad_axis::length, &pad_axis::input}) p.axes[p.last].*part *= next.size;
            else p.axes[++p.last] = next;
        }
        p.last = std::max(p.last, 0);
        std::int64_t step = p.inner;
        for (int i = p.last; i >= 0; --i) {
            p.steps[i] = step;
            step *= p.axes[i].input;
            if (i < p.last) p.rows *= p.axes[i].size;
        }
        return p;
    }
};
class pad_position {  // of a row of the output, in the axes before the last one
    const pad_rows& p;
    std::array<std::int64_t, max_rank> at{}, from{};  // from: where it is in the input, by the axes up to this one
    void find(int axis) {
        for (; axis < p.last; ++axis) {
            const std::int64_t before = axis ? from[axis - 1] : 0, k = before < 0 ? -1 : p.axes[axis].source(at[axis], p.mode);
            from[axis] = k < 0 ? -1 : before + k * p.steps[axis];
        }
    }
public:
    pad_position(const pad_rows& rows, std::int64_t index) : p(rows) {
        for (int a = p.last - 1; a >= 0; --a) {
            at[a] = index % p.axes[a].size;
            index /= p.axes[a].size;
        }
        find(0);
    }
    std::int64_t source() const { return p.last ? from[p.last - 1] : 0; }  // -1: the constant
    void next() {
        for (int a = p.last - 1; a >= 0; --a) {
            if (++at[a] < p.axes[a].size) return find(a);
            at[a] = 0;
        }
    }
};

template <int Bits> requires whole_bytes<Bits> struct kernel<op::pad, device::cpu, types<raw<Bits>>> : pad_kernel {
    using params = pad_rows;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) { return pad_rows::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr std::int64_t size = Bits / 8;
        const pad_axis& l = p.axes[p.last];
        const std::int64_t bytes = p.inner * size, row = l.size * bytes, begin = std::min(l.at, l.size), end = std::min(l.at + l.length, l.size);
        if (p.rows * row == 0) return status::ok;
        blank<raw<Bits>> own;
        const auto* around = static_cast<const std::byte*>(p.around.get(a, own));
        c.split(p.rows, 1 + 16384 / row, [&](std::int64_t first, std::int64_t last, int) {
            pad_position at(p, first);
            for (std::byte* y = a.out<std::byte>(0) + first * row; first < last; ++first, y += row, at.next()) {
                if (at.source() < 0) { fill_row<Bits>(y, around, l.size * p.inner); continue; }
                const std::byte* x = a.in<std::byte>(0) + at.source() * size;
                const auto edge = [&](std::int64_t from, std::int64_t to) {
                    if (p.mode == padding::constant) fill_row<Bits>(y + from * bytes, around, (to - from) * p.inner);
                    else for (std::int64_t o = from; o < to; ++o) copy_row(y + o * bytes, x + l.source(o, p.mode) * bytes, bytes);
                };
                edge(0, begin);
                copy_row(y + begin * bytes, x + l.first * bytes, (end - begin) * bytes);
                edge(end, l.size);
            }
        });
        return status::ok;
    }
};
}  // namespace inlay::inline v1
