// Slice on the CPU, in either layout: rows where a slice has them.
#pragma once
#include "../slice.hpp"
#include "strided_copy.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::slice, device::cpu, types<raw<Bits>>> : strided_kernel_of<Bits> {
    static constexpr verdict supports(const node_view& n) { return slice_kernel::supports(n); }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const auto v = slice_kernel::taken(n);
        return make_copy(v.dims, v.from, strides_of(v.dims, n.output_layout(0)), v.offset);
    }
};
}  // namespace inlay::inline v1
