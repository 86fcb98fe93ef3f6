// ScatterND (since 11): the input, but y[indices[i, j]] = updates[i, j], where the last axis of the indices holds the
// first coordinates in y. Of several updates of one place the last one counts, or all where there is a `reduction`.
// Negative indices count from the end.
#pragma once
#include <inlay/support/scatter.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct scatter_nd : scattering {
    static constexpr std::string_view onnx_name = "ScatterND";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (reduction_of(n) == scatter_reduction::unknown) return no("reduction is none of none, add, mul, max, min");
        const shape &x = n.input(0).dims, &indices = n.input(1).dims, &updates = n.input(2).dims;
        if (const verdict v = check_index_rows(n, 0); !v) return v;
        y[0] = x;
        const std::int64_t axes = indices.rank > 0 ? indices[indices.rank - 1] : -1;
        if (x.rank < 0 || updates.rank < 0 || axes < 0) return yes();
        const int rows = indices.rank - 1;
        bool fit = updates.rank == rows + x.rank - int(axes);
        for (int i = 0; fit && i < updates.rank; ++i) {
            const std::int64_t size = i < rows ? indices[i] : x[int(axes) + i - rows];
            fit = size < 0 || updates[i] < 0 || size == updates[i];
        }
        return fit ? yes() : no("the updates' shape is not that of the indices and the slices");
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::scatter_nd, device::reference, types<T>> : scatter_kernel<T> {
    struct params {
        index_rows rows;
        std::int64_t count;
        scatter_reduction reduction;
        constexpr std::int64_t updates() const { return rows.count; }
    };
    static constexpr params prepare(const node_view& n) {
        return {index_rows::of(n.input(1).dims, n.input(0).dims), n.input(0).dims.elements(), reduction_of(n)};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
        if (!p.rows.valid(a.in<std::int64_t>(1), p.rows.count)) return c.fail("an index is out of range");
        scatter_kernel<T>::copy_input(a, p.count);
        for (std::int64_t i = 0; i < p.rows.count; ++i)
            scatter_kernel<T>::update(p.reduction, a.outputs[0], p.rows.offset(a.in<std::int64_t>(1), i), a.inputs[2],
                                      i * p.rows.inner, p.rows.inner);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
