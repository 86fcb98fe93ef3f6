// ReverseSequence on CUDA. A length that does not fit gives zeros and a fault in context::faults. Limit: one read and
// one write of every byte.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/reverse_sequence.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
struct reverse_sequence_on_cuda : kernel<op::reverse_sequence, device::reference, types<raw<Bits>>> {
    using typename kernel<op::reverse_sequence, device::reference, types<raw<Bits>>>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // placed.cu
};
template <int Bits>
struct kernel<op::reverse_sequence, device::cuda, types<raw<Bits>>> : reverse_sequence_on_cuda<Bits> {};
}  // namespace v1
}  // namespace inlay
