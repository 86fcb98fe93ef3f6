// Expand on CUDA, in either layout.
#pragma once
#include "../expand.hpp"
#include "moving.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::expand, device::cuda, types<raw<Bits>>> : strided_on_cuda<Bits> {
    static constexpr strided_copy prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return make_copy(y, op::expand::strides(n), strides_of(y, n.output_layout(0)));
    }
};
}  // namespace inlay::inline v1
