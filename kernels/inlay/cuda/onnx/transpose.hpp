// Transpose on CUDA: reads its input in either layout, so that no conversion is made for it.
#pragma once
#include <inlay/onnx/transpose.hpp>
#include <inlay/cuda/support/moving.hpp>

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::transpose, device::cuda, types<raw<Bits>>> : transpose_by<strided_on_cuda<Bits>> {};
}  // namespace inlay::inline v1
