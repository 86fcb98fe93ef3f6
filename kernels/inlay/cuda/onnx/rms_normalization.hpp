// RMSNormalization on CUDA, where X and scale have one type: a warp or a block per row. Limit: one read and one write
// of every element; long rows come again from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/rms_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct rms_normalization_on_cuda : rms_rows_kernel {
    static constexpr verdict supports(const node_view& n) {
        return fits(n, "cuda: scale must have the shape of the normalised axes");
    }
    static status run(const params& p, const state&, const arguments& a,
                      context& c) noexcept;  // layer_normalization.cu
};
template <>
struct kernel<op::rms_normalization, device::cuda, types<float, float>> : rms_normalization_on_cuda<float> {};
template <>
struct kernel<op::rms_normalization, device::cuda, types<float16, float16>> : rms_normalization_on_cuda<float16> {};
template <>
struct kernel<op::rms_normalization, device::cuda, types<bfloat16, bfloat16>> : rms_normalization_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay
