// Clip of floating-point types, int32 and int64 on CUDA, in any layout; the bounds that are inputs are read on the
// device. Limit: one read and one write of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/clip.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct clip_on_cuda : kernel<op::clip, device::reference, types<T>> {
    using typename kernel<op::clip, device::reference, types<T>>::params;
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // clip.cu
};
template <> struct kernel<op::clip, device::cuda, types<float>> : clip_on_cuda<float> {};
template <> struct kernel<op::clip, device::cuda, types<float16>> : clip_on_cuda<float16> {};
template <> struct kernel<op::clip, device::cuda, types<bfloat16>> : clip_on_cuda<bfloat16> {};
template <> struct kernel<op::clip, device::cuda, types<std::int32_t>> : clip_on_cuda<std::int32_t> {};
template <> struct kernel<op::clip, device::cuda, types<std::int64_t>> : clip_on_cuda<std::int64_t> {};
}  // namespace v1
}  // namespace inlay
