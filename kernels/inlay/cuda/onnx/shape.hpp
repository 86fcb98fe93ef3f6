// Shape on CUDA: where its result is read on the device.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/shape.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::shape_of, device::cuda, types<any_element>>
    : kernel<op::shape_of, device::reference, types<any_element>> {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // range.cu
};
}  // namespace v1
}  // namespace inlay
