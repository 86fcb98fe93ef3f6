// Gather on CUDA. An index out of range gives zeros and a fault in context::faults. Limit: one read and one write of
// every byte that is gathered.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/gather.hpp>
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct gather_on_cuda : gather_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // gather.cu
};
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::gather, device::cuda, types<raw<Bits>>> : gather_on_cuda<Bits> {
};
}  // namespace v1
}  // namespace inlay
