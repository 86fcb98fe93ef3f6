// ChannelShuffle on the CPU, in either layout: permutes planes, or the few channels of each pixel.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/fused/channel_shuffle.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::channel_shuffle, device::cpu, types<raw<Bits>>> : strided_kernel_of<Bits> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const channel_shuffle_axes a = shuffled_axes(n);
        return make_copy(a.dims, a.from, a.to);
    }
};
}  // namespace v1
}  // namespace inlay
