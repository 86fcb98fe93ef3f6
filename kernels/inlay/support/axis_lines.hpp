// The lines of a tensor along one of its axes: element k of line (o, i) at (o * length + k) * inner + i, in the order
// of memory.
#pragma once
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
struct axis_lines {
    std::int64_t outer, length, inner;
    static constexpr axis_lines of(const node_view& n, int axis) {  // of input 0, in its layout
        const shape& x = n.input(0).dims;
        if (n.input_layout(0) != layout::channels_last || axis == 0)
            return {x.elements(0, axis), x[axis], x.elements(axis + 1)};
        if (axis == 1) return {x[0] * x.elements(2), x[1], 1};
        return {x[0] * x.elements(2, axis), x[axis], x.elements(axis + 1) * x[1]};
    }
    // f(x, y) for each line, whose elements are `inner` apart.
    template <class T, class F> void each_line(const arguments& a, F f) const {
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i)
                f(a.in<T>(0) + o * length * inner + i, a.out<T>(0) + o * length * inner + i);
    }
};
}  // namespace v1
}  // namespace inlay
