// Expand on CUDA, in either layout.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/expand.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::expand, device::cuda, types<raw<Bits>>> : expand_by<strided_on_cuda<Bits>> {
};
}  // namespace v1
}  // namespace inlay
