// Where on CUDA, by element size, in any layout. Limit: the bytes of operands and result.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/where.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct where_on_cuda : where_kernel {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // where.cu
};
template <int Bits>
requires(Bits >= 8) struct kernel<op::where, device::cuda, types<bool, raw<Bits>>> : where_on_cuda<Bits> {
};
}  // namespace v1
}  // namespace inlay
