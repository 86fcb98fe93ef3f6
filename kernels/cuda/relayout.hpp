// Layout conversion on CUDA: a transpose of channels and pixels in tiles, or a copy where there is one of either.
#pragma once
#include "../relayout.hpp"
#include "moving.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::relayout, device::cuda, types<raw<Bits>>> : strided_on_cuda<Bits> {
    static constexpr layout_rule layouts(const node_view& n) { return relayout_kernel::layouts(n); }
    static constexpr strided_copy prepare(const shape& x, layout to) {
        return make_copy(x, strides_of(x, relayout_kernel::other(to)), strides_of(x, to));
    }
    static constexpr strided_copy prepare(const node_view& n) { return prepare(n.input(0).dims, relayout_kernel::target(n)); }
};
}  // namespace inlay::inline v1
