// Loops over a broadcast: axes of length 1 dropped, neighbouring axes merged, in the order of the output's memory. So
// the output is written from its first byte to its last whatever its layout is, and every operand has one step per
// loop, 0 where it repeats.
#pragma once
#include "movable.hpp"

namespace inlay {
inline namespace v1 {
// The shape rule of broadcasting operators that need all of their first `needed` inputs.
constexpr verdict broadcast_shape_of(int needed, const node_view& n, std::span<shape> y) noexcept {
    for (int k = 0; k < std::max(needed, n.input_count()); ++k)
        if (!n.has_input(k)) return no("an input is missing");
    const verdict v = broadcast_shape(n, y);
    return v && !countable(y[0]) ? no("the output is too large") : v;
}

template <int Most> struct broadcast_loops {
    int rank = 0, operands = 0;
    std::array<std::int64_t, max_rank> count{};                   // outermost first
    std::array<std::array<std::int64_t, max_rank>, Most> step{};  // of each operand, in elements
    constexpr std::int64_t elements() const {
        std::int64_t n = 1;
        for (int i = 0; i < rank; ++i) n *= count[i];
        return n;
    }
    constexpr std::int64_t along(int k) const { return step[k][rank - 1]; }  // from one element of a row to the next
    constexpr std::int64_t between(int k) const {
        return rank > 1 ? step[k][rank - 2] : 0;
    }  // from one row to the next
};

// The first `operands` inputs of a node, as far as they are present, against its output 0. `second`: the output's axis
// where input 1 begins; -1: trailing axes agree. `with_output`: the output is the operand after them, which need not be
// dense then.
template <int Most>
constexpr broadcast_loops<Most> make_loops(const node_view& n, int operands, int second = -1,
                                           bool with_output = false) {
    const shape& y = n.output(0).dims;
    broadcast_loops<Most> l, whole;  // whole: a loop for each axis, as ONNX orders them
    for (int k = 0; k < operands; ++k) {
        if (!n.has_input(k)) continue;
        const shape& dims = n.input(k).dims;
        const shape strides = strides_of(dims, n.input_layout(k), n.input_pitch(k));
        const int first = k == 1 && second >= 0 ? second : y.rank - dims.rank;
        for (int i = 0; i < dims.rank; ++i)
            if (dims[i] != 1) whole.step[k][first + i] = strides[i];
    }
    if (with_output) {
        const shape strides = strides_of(y, n.output_layout(0), n.output_pitch(0));
        for (int i = 0; i < y.rank; ++i) whole.step[operands][i] = strides[i];
        ++operands;
    }
    l.operands = operands;
    const bool channels_last = n.output_layout(0) == layout::channels_last && y.rank >= 3;
    for (int i = 0; i < y.rank; ++i) {
        const int axis = !channels_last || i == 0 ? i : i == y.rank - 1 ? 1 : i + 1;
        if (y[axis] == 1) continue;
        bool merges = l.rank > 0;
        for (int k = 0; k < operands && merges; ++k) merges = l.step[k][l.rank - 1] == whole.step[k][axis] * y[axis];
        if (!merges) ++l.rank;
        l.count[l.rank - 1] = merges ? l.count[l.rank - 1] * y[axis] : y[axis];
        for (int k = 0; k < operands; ++k) l.step[k][l.rank - 1] = whole.step[k][axis];
    }
    if (l.rank == 0) {  // one element
        l.rank = 1;
        l.count[0] = 1;
        for (int k = 0; k < operands; ++k) l.step[k][0] = 1;
    }
    return l;
}

// Visits the output's elements [first, end) in blocks of the two innermost loops, where whole rows are left:
// f(output offset, offsets of the operands, rows, elements of a row).
template <int Most, class F>
void over_blocks(const broadcast_loops<Most>& l, std::int64_t first, std::int64_t end, F f) {
    const int inner = l.rank - 1;
    const std::int64_t n = l.count[inner], rows = inner > 0 ? l.count[inner - 1] : 1;
    while (first < end) {
        std::array<std::int64_t, Most> offset;
        for (int k = 0; k < l.operands; ++k) offset[k] = 0;
        std::int64_t rest = first;
        for (int i = inner; i >= 0; --i) {
            const std::int64_t at = i > 0 ? rest % l.count[i] : rest;
            if (i > 0) rest /= l.count[i];
            for (int k = 0; k < l.operands; ++k) offset[k] += at * l.step[k][i];
        }
        const std::int64_t column = first % n, row = first / n % rows, whole = (end - first) / n;
        const bool in_rows = column == 0 && whole > 0;
        const std::int64_t height = in_rows ? std::min(whole, rows - row) : 1,
                           width = in_rows ? n : std::min(n - column, end - first);
        f(first, offset, height, width);
        first += height * width;
    }
}
// The same, row by row: f(output offset, offsets of the operands, elements).
template <int Most, class F> void over_rows(const broadcast_loops<Most>& l, std::int64_t first, std::int64_t end, F f) {
    over_blocks(l, first, end,
                [&](std::int64_t y, std::array<std::int64_t, Most>& x, std::int64_t rows, std::int64_t n) {
                    for (std::int64_t r = 0; r < rows; ++r, y += n) {
                        f(y, x, n);
                        for (int k = 0; k < l.operands; ++k) x[k] += l.between(k);
                    }
                });
}
}  // namespace v1
}  // namespace inlay
