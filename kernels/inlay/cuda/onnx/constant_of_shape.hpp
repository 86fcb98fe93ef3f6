// ConstantOfShape on CUDA. Limit: one write of every byte.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/constant_of_shape.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::constant_of_shape, device::cuda, types<any_element>>
    : kernel<op::constant_of_shape, device::reference, types<any_element>> {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return fill_on_cuda(a.outputs[0], p.pattern, p.bytes, c);
    }
};
}  // namespace v1
}  // namespace inlay
