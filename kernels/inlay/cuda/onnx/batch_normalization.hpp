// BatchNormalization of floating-point types on CUDA, in any layout. Limit: one read and one write of every element;
// the numbers of channels come from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/batch_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct batch_normalization_on_cuda : batch_normalization_kernel {
    struct params : batch_normalization_params {
        bool channels_last;
    };
    static constexpr layout_rule layouts(const node_view& n) {  // a number per element of a sample is in ONNX's order
        return op::batch_normalization::is_spatial(n) ? layout_rule{layout::any, layout::any} : layout_rule{};
    }
    static constexpr params prepare(const node_view& n) {
        params p{batch_normalization_kernel::prepare(n), false};
        p.channels_last = n.input_layout(0) == layout::channels_last || p.inner == 1;
        return p;
    }
    static status run(const params& p, const state&, const arguments& a,
                      context& c) noexcept;  // batch_normalization.cu
};
template <>
struct kernel<op::batch_normalization, device::cuda, types<float, any_float, any_float>>
    : batch_normalization_on_cuda<float> {};
template <>
struct kernel<op::batch_normalization, device::cuda, types<float16, any_float, any_float>>
    : batch_normalization_on_cuda<float16> {};
template <>
struct kernel<op::batch_normalization, device::cuda, types<bfloat16, any_float, any_float>>
    : batch_normalization_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay
