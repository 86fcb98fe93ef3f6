// ScatterElements (since 11), which was Scatter (9-10): the input, but y[i, indices[i, j, k], k] = updates[i, j, k],
// where axis is 1. Of several updates of one element the last one counts, or all where there is a `reduction`. Negative
// indices count from the end.
#pragma once
#include <inlay/support/scatter.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct scatter_elements : scattering {
    static constexpr std::string_view onnx_name = "ScatterElements";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (reduction_of(n) == scatter_reduction::unknown) return no("reduction is none of none, add, mul, max, min");
        const shape &indices = n.input(1).dims, &updates = n.input(2).dims;
        if (indices.known() && updates.known() && !(indices == updates))
            return no("the indices and the updates have different shapes");
        y[0] = n.input(0).dims;
        return check_index_elements(n);
    }
};
struct scatter : scatter_elements {
    static constexpr std::string_view onnx_name = "Scatter";
    static constexpr version_range versions{9, 10};
    static constexpr auto elements = whole_byte_types;
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct scatter_elements_kernel : scatter_kernel<T> {
    struct params {
        index_elements indices;
        std::int64_t count;
        scatter_reduction reduction;
        constexpr std::int64_t updates() const { return indices.dims.elements(); }
    };
    static constexpr params prepare(const node_view& n) {
        return {index_elements::of(n), n.input(0).dims.elements(), reduction_of(n)};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
        if (!p.indices.valid(a)) return c.fail("an index is out of range");
        scatter_kernel<T>::copy_input(a, p.count);
        p.indices.each(a, 0, p.indices.rows(), [&](std::int64_t i, std::int64_t to) {
            scatter_kernel<T>::update(p.reduction, a.outputs[0], to, a.inputs[2], i, 1);
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::scatter_elements, device::reference, types<T>> : scatter_elements_kernel<T> {};
template <class T> struct kernel<op::scatter, device::reference, types<T>> : scatter_elements_kernel<T> {};
}  // namespace v1
}  // namespace inlay
