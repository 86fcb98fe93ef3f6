// MeanVarianceNormalization on CUDA, over any axes in either layout: a warp or a block per mean. Limit: one read and
// one write of every element where the axes are the last in memory; elsewhere a thread's neighbours read from other
// lines of the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/mean_variance_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct mean_variance_normalization_on_cuda : mean_variance_normalization_kernel {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a,
                      context& c) noexcept;  // mean_variance_normalization.cu
};
template <>
struct kernel<op::mean_variance_normalization, device::cuda, types<float>>
    : mean_variance_normalization_on_cuda<float> {};
template <>
struct kernel<op::mean_variance_normalization, device::cuda, types<float16>>
    : mean_variance_normalization_on_cuda<float16> {};
template <>
struct kernel<op::mean_variance_normalization, device::cuda, types<bfloat16>>
    : mean_variance_normalization_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay
