// Slice on the CPU, in either layout: rows where a slice has them.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/slice.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::slice, device::cpu, types<raw<Bits>>> : slice_by<strided_kernel_of<Bits>> {
};
}  // namespace v1
}  // namespace inlay
