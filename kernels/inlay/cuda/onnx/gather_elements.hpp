// GatherElements on CUDA. An index out of range gives zeros and a fault in context::faults. Limit: one read and one
// write of every byte, and the indices.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/gather_elements.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct gather_elements_on_cuda : kernel<op::gather_elements, device::reference, types<raw<Bits>>> {
    using typename kernel<op::gather_elements, device::reference, types<raw<Bits>>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // indexed.cu
};
template <int Bits>
struct kernel<op::gather_elements, device::cuda, types<raw<Bits>>> : gather_elements_on_cuda<Bits> {};
}  // namespace v1
}  // namespace inlay
