// Transpose on CUDA: reads its input in either layout, so that it needs no conversion.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/transpose.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::transpose, device::cuda, types<raw<Bits>>> : transpose_by<strided_on_cuda<Bits>> {
};
}  // namespace v1
}  // namespace inlay
