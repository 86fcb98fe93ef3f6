// Range on CUDA: start and delta are read on the device.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/range.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct range_on_cuda : kernel<op::range, device::reference, types<T>> {
    using typename kernel<op::range, device::reference, types<T>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // range.cu
};
template <> struct kernel<op::range, device::cuda, types<float>> : range_on_cuda<float> {};
template <> struct kernel<op::range, device::cuda, types<std::int32_t>> : range_on_cuda<std::int32_t> {};
template <> struct kernel<op::range, device::cuda, types<std::int64_t>> : range_on_cuda<std::int64_t> {};
}  // namespace v1
}  // namespace inlay
