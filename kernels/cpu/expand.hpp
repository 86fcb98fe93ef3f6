// Expand on the CPU, in either layout: rows that repeat, or rows of one element.
#pragma once
#include "../expand.hpp"
#include "strided_copy.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::expand, device::cpu, types<raw<Bits>>> : strided_kernel_of<Bits> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return make_copy(y, op::expand::strides(n), strides_of(y, n.output_layout(0)));
    }
};
}  // namespace inlay::inline v1
