// Slice on CUDA, in either layout.
#pragma once
#include "../slice.hpp"
#include "moving.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::slice, device::cuda, types<raw<Bits>>> : strided_on_cuda<Bits> {
    static constexpr verdict supports(const node_view& n) { return slice_kernel::supports(n); }
    static constexpr strided_copy prepare(const node_view& n) {
        const auto v = slice_kernel::taken(n);
        return make_copy(v.dims, v.from, strides_of(v.dims, n.output_layout(0)), v.offset);
    }
};
}  // namespace inlay::inline v1
