// The tensors that are concatenated along one axis: the inputs of Concat, the outputs of Split.
#pragma once
#include "movable.hpp"

namespace inlay {
inline namespace v1 {
// Neighbours of one length are one run, so that long lists of equal tensors need little memory.
struct pieces {
    struct run {  // pixel: of a slice
        std::int64_t length = 0;
        int count = 0;
        layout order = layout::plain;
        std::int64_t pixel = 0;
    };
    std::array<run, 48> runs{};
    int used = 0;
    std::int64_t outer = 1, inner = 1;  // elements around the axis, in the order of the memory of the whole
    std::int64_t row = 0;               // of the whole: all lengths * inner
    bool mixed = false;                 // a piece has another layout than the whole, or something is a slice

    constexpr bool add(std::int64_t length, layout order = layout::plain, std::int64_t pixel = 0) {
        if (used && runs[used - 1].length == length && runs[used - 1].order == order && runs[used - 1].pixel == pixel) {
            ++runs[used - 1].count;
            return true;
        }
        if (used == int(runs.size())) return false;
        runs[used++] = {length, 1, order, pixel};
        return true;
    }
    constexpr void finish(const shape& whole, int axis, layout order, std::int64_t pixel = 0) {
        const bool is_channels_last = order == layout::channels_last && whole.rank >= 3;
        outer = is_channels_last && axis != 0 ? whole[0] : whole.elements(0, axis);
        inner = is_channels_last && axis == 0   ? whole.elements(1)
                : is_channels_last && axis == 1 ? 1
                                                : whole.elements(axis + 1);
        if (is_channels_last && axis == 1) outer *= whole.elements(2);
        if (is_channels_last && axis > 1) {
            outer *= whole.elements(2, axis);
            inner *= whole[1];
        }
        mixed = pixel != 0;
        for (int r = 0; r < used; ++r) {
            row += runs[r].length * runs[r].count * inner;
            mixed |= runs[r].order != order || runs[r].pixel != 0;
        }
    }
    constexpr std::int64_t elements() const { return outer * row; }
};

// The whole's elements [first, end), one stretch of one piece at a time, ascending: f(piece, its element, the whole's
// element, count).
template <class F> void over_pieces(const pieces& p, std::int64_t first, std::int64_t end, F f) {
    if (first >= end) return;
    std::int64_t row = first / p.row, skip = first % p.row,
                 at = first;  // skip: what lies before the first stretch in its row
    for (; at < end; ++row) {
        int k = 0;
        for (int r = 0; r < p.used; ++r) {
            const std::int64_t size = p.runs[r].length * p.inner;
            for (int i = 0; i < p.runs[r].count; ++i, ++k) {
                if (skip >= size) {
                    skip -= size;
                    continue;
                }  // also: nothing in the piece
                const std::int64_t count = std::min(size - skip, end - at);
                f(k, row * size + skip, at, count);
                skip = 0;
                if ((at += count) == end) return;
            }
        }
    }
}
}  // namespace v1
}  // namespace inlay
