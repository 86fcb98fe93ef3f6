// Pad on CUDA, in either layout. Limit: one read of every element that stays and one write of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct pad_on_cuda : pad_kernel {
    using params = pad_rows;
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static constexpr params prepare(const node_view& n) { return pad_rows::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // placed.cu
};
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::pad, device::cuda, types<raw<Bits>>> : pad_on_cuda<Bits> {
};
}  // namespace v1
}  // namespace inlay
