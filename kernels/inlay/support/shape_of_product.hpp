// The output of A times a matrix of `columns` that no input has as such: A's shape, but for the last axis, which has to
// be `depth` long.
#pragma once
#include "movable.hpp"

namespace inlay {
inline namespace v1 {
constexpr verdict shape_of_product(const shape& a, std::int64_t depth, std::int64_t columns, std::string_view misfit,
                                   shape& y) noexcept {
    if (a.rank < 0) return yes();
    if (a.rank < 1) return no("A has no axis");
    if (a[a.rank - 1] >= 0 && a[a.rank - 1] != depth) return no(misfit);
    y = a;
    y[y.rank - 1] = columns;
    return countable(y) ? yes() : no("the output is too large");
}
}  // namespace v1
}  // namespace inlay
