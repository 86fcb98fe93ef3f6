// Split on CUDA, in either layout.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/pieces.hpp>
#include <inlay/onnx/split.hpp>
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::split, device::cuda, types<raw<Bits>>> : split_kernel {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return move_pieces_on_cuda<Bits, false>(p, a.inputs[0], a.outputs, c);
    }
};
}  // namespace v1
}  // namespace inlay
