// Softmax, LogSoftmax and Hardmax on CUDA, on any axis in either layout: a warp or a block per row along memory, a
// thread per column across it. Limit: one read and one write of every element; long rows come again from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/softmax.hpp>

namespace inlay {
inline namespace v1 {
template <class T, bool Log> struct softmax_on_cuda : softmax_kernel<T, Log> {
    using typename softmax_kernel<T, Log>::params;
    static constexpr layout_rule layouts(const node_view& n) { return params::layouts(n); }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // softmax.cu
};
template <> struct kernel<op::softmax, device::cuda, types<float>> : softmax_on_cuda<float, false> {};
template <> struct kernel<op::softmax, device::cuda, types<float16>> : softmax_on_cuda<float16, false> {};
template <> struct kernel<op::softmax, device::cuda, types<bfloat16>> : softmax_on_cuda<bfloat16, false> {};
template <> struct kernel<op::log_softmax, device::cuda, types<float>> : softmax_on_cuda<float, true> {};
template <> struct kernel<op::log_softmax, device::cuda, types<float16>> : softmax_on_cuda<float16, true> {};
template <> struct kernel<op::log_softmax, device::cuda, types<bfloat16>> : softmax_on_cuda<bfloat16, true> {};

template <class T> struct hardmax_on_cuda : hardmax_kernel {
    static constexpr layout_rule layouts(const node_view& n) {
        return n.version() >= 13 ? layout_rule{layout::any, layout::any} : layout_rule{};
    }  // which is the first depends on the order of joined axes
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // softmax.cu
};
template <> struct kernel<op::hardmax, device::cuda, types<float>> : hardmax_on_cuda<float> {};
template <> struct kernel<op::hardmax, device::cuda, types<float16>> : hardmax_on_cuda<float16> {};
template <> struct kernel<op::hardmax, device::cuda, types<bfloat16>> : hardmax_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay
