// Transpose on the CPU: reads its input in either layout, so that it needs no conversion.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/transpose.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::transpose, device::cpu, types<raw<Bits>>> : transpose_by<strided_kernel_of<Bits>> {
};
}  // namespace v1
}  // namespace inlay
