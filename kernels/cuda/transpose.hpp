// Transpose on CUDA: reads its input in either layout, so that no conversion is made for it.
#pragma once
#include "../transpose.hpp"
#include "moving.hpp"

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::transpose, device::cuda, types<raw<Bits>>> : strided_on_cuda<Bits> {
    static constexpr layout_rule layouts(const node_view& n) {  // [0,3,1,2], into which exporters wrap their channels, is a copy in that layout
        const auto perm = n.integers("perm");
        constexpr std::int64_t wrap[] = {0, 3, 1, 2};
        const bool wraps = std::equal(perm.begin(), perm.end(), std::begin(wrap), std::end(wrap));
        return wraps ? layout_rule{layout::plain, layout::channels_last} : layout_rule{layout::any, layout::plain};
    }
    static constexpr strided_copy prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return make_copy(y, op::transpose::permuted(n, strides_of(n.input(0).dims, n.input_layout(0))), strides_of(y, n.output_layout(0)));
    }
};
}  // namespace inlay::inline v1
