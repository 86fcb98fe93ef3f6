// OneHot on CUDA: indices and values are read on the device. Limit: one write of every byte.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/one_hot.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct one_hot_on_cuda : kernel<op::one_hot, device::reference, types<raw<Bits>>> {
    using typename kernel<op::one_hot, device::reference, types<raw<Bits>>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // placed.cu
};
template <int Bits> struct kernel<op::one_hot, device::cuda, types<raw<Bits>>> : one_hot_on_cuda<Bits> {};
}  // namespace v1
}  // namespace inlay
