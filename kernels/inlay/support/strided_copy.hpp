// The core of Transpose, Slice, Expand and layout conversion: a copy of strided input to output. Axes are merged and
// ordered by the output's memory once; what is left is a copy of rows, a fill of rows, a transpose in blocks, or single
// elements.
#pragma once
#include "movable.hpp"

namespace inlay {
inline namespace v1 {
struct strided_copy {
    shape sizes{1}, from{1}, to{1};  // outermost first; the last has the smallest step in the output
    std::int64_t source = 0;         // where the first element is read
    int columns =
        -1;  // the axis that is contiguous in the input while the last is in the output: blocks are transposed
    bool down = false;  // blocks are shared among threads along the last axis, else along `columns`
    constexpr std::int64_t count() const { return sizes.elements(); }
    constexpr int last() const { return sizes.rank - 1; }
};
constexpr strided_copy make_copy(const shape& dims, const shape& from, const shape& to, std::int64_t source = 0) {
    std::array<int, max_rank> order{};
    int axes = 0;
    for (int i = 0; i < dims.rank; ++i) {
        if (dims[i] == 1) continue;
        int at = axes++;
        for (; at > 0 && to[order[at - 1]] < to[i]; --at) order[at] = order[at - 1];
        order[at] = i;
    }
    strided_copy c;
    c.source = source;
    if (axes) c.sizes.rank = c.from.rank = c.to.rank = 0;
    for (int k = 0; k < axes; ++k) {
        const int i = order[k], l = c.last();
        if (l >= 0 && c.from[l] == from[i] * dims[i] && c.to[l] == to[i] * dims[i]) {
            c.sizes[l] *= dims[i];
            c.from[l] = from[i];
            c.to[l] = to[i];
        } else {
            c.sizes.push_back(dims[i]);
            c.from.push_back(from[i]);
            c.to.push_back(to[i]);
        }
    }
    const int l = c.last();
    if (c.to[l] == 1 && c.from[l] > 1)
        for (int i = 0; i < l; ++i)
            if (c.from[i] == 1) c.columns = i;
    c.down = c.columns >= 0 && c.sizes[c.columns] < 64 && c.sizes[l] > c.sizes[c.columns];
    return c;
}

// Whole bytes: the element sizes that fast kernels move.
template <int Bits>
concept whole_bytes = Bits >= 8;
}  // namespace v1
}  // namespace inlay
