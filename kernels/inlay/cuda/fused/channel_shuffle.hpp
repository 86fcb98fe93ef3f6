// ChannelShuffle on CUDA, in either layout. Limit: one read and one write of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/fused/channel_shuffle.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::channel_shuffle, device::cuda, types<raw<Bits>>> : strided_on_cuda<Bits> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const channel_shuffle_axes a = shuffled_axes(n);
        return make_copy(a.dims, a.from, a.to);
    }
};
}  // namespace v1
}  // namespace inlay
