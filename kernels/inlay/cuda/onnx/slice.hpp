// Slice on CUDA, in either layout.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/slice.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::slice, device::cuda, types<raw<Bits>>> : slice_by<strided_on_cuda<Bits>> {
};
}  // namespace v1
}  // namespace inlay
