// Trilu on CUDA: the diagonal is read on the device. Limit: one read and one write of every byte.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/trilu.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct trilu_on_cuda : kernel<op::trilu, device::reference, types<raw<Bits>>> {
    using typename kernel<op::trilu, device::reference, types<raw<Bits>>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // placed.cu
};
template <int Bits> struct kernel<op::trilu, device::cuda, types<raw<Bits>>> : trilu_on_cuda<Bits> {};
}  // namespace v1
}  // namespace inlay
