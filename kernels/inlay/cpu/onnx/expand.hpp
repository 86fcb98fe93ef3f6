// Expand on the CPU, in either layout: rows that repeat, or rows of one element.
#pragma once
#include <inlay/onnx/expand.hpp>
#include <inlay/cpu/support/strided_copy.hpp>

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::expand, device::cpu, types<raw<Bits>>> : expand_by<strided_kernel_of<Bits>> {};
}  // namespace inlay::inline v1
