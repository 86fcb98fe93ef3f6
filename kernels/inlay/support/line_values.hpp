// Scales and zero points of the operands of a matmul: where the one of a line lies.
#pragma once
#include <inlay/shape.hpp>

namespace inlay {
inline namespace v1 {
struct line_values {  // one for all, or one per line, which is a row of a or a column of b, or per line of each matrix
    std::int64_t per_matrix = 0, per_line = 0;
    static constexpr bool read(const shape& x, const shape& s, int axis,
                               line_values& v) {  // axis: of the lines, from the end; false where the shapes do not fit
        v = {};
        if (!x.known() || !s.known() || s.elements() == 1) return true;
        if (x.rank < 2) return false;
        const std::int64_t lines = x[x.rank - axis];
        v.per_line = 1;
        if (s.rank == 1) return s[0] == lines;
        v.per_matrix = lines;
        shape per_line = x;
        per_line[x.rank - 3 + axis] = 1;
        return s == per_line;
    }
    constexpr std::int64_t at(std::int64_t matrix, std::int64_t line) const {
        return matrix * per_matrix + line * per_line;
    }
};
}  // namespace v1
}  // namespace inlay
