// Trilu (since 14): of every matrix the elements on and above diagonal k, or on and below it if not `upper`; the others
// are 0.
#pragma once
#include <inlay/support/blank.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct trilu : standard {
    static constexpr std::string_view onnx_name = "Trilu";
    static constexpr version_range versions{14, 14};
    static constexpr auto elements = whole_byte_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank == 0 || x.rank == 1) return no("the input is no matrix");
        if (n.has_input(1) && n.input(1).type != element::i64) return no("k is not int64");
        if (n.has_input(1) && n.input(1).dims.known() && n.input(1).dims.elements() != 1)
            return no("k is not one number");
        return same_shape(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::trilu, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t matrices, rows, columns;
        bool upper, has_k;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x.elements(0, x.rank - 2), x[x.rank - 2], x[x.rank - 1], n.integer("upper", 1) != 0, n.has_input(1)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (p.columns == 0) return status::ok;
        const std::int64_t diagonal = std::clamp(p.has_k ? *a.in<std::int64_t>(1) : 0, -p.rows, p.columns);
        c.split(p.matrices * p.rows, 1 + 16384 / p.columns,
                [&](std::int64_t first, std::int64_t row_end, int) noexcept {
                    const blank<T> zero;
                    for (std::int64_t row = first; row < row_end; ++row) {
                        const std::int64_t at = row * p.columns, k = row % p.rows + diagonal;
                        const std::int64_t begin = p.upper ? std::clamp<std::int64_t>(k, 0, p.columns) : 0,
                                           end = p.upper ? p.columns : std::clamp<std::int64_t>(k + 1, 0, p.columns);
                        if (a.inputs[0] != a.outputs[0])
                            movable<T>::copy(a.outputs[0], at + begin, a.inputs[0], at + begin, end - begin);
                        for (std::int64_t i = 0; i < begin; ++i) movable<T>::move(a.outputs[0], at + i, &zero, 0);
                        for (std::int64_t i = end; i < p.columns; ++i) movable<T>::move(a.outputs[0], at + i, &zero, 0);
                    }
                });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
