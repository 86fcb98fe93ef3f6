// LpNormalization on CUDA, on any axis in either layout: a warp or a block per row along memory, a thread per column
// across it. Limit: one read and one write of every element; long rows come again from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/lp_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct lp_normalization_on_cuda : lp_normalization_kernel {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // lp_normalization.cu
};
template <> struct kernel<op::lp_normalization, device::cuda, types<float>> : lp_normalization_on_cuda<float> {};
template <> struct kernel<op::lp_normalization, device::cuda, types<float16>> : lp_normalization_on_cuda<float16> {};
template <> struct kernel<op::lp_normalization, device::cuda, types<bfloat16>> : lp_normalization_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay
