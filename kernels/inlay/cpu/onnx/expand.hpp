// Expand on the CPU, in either layout: rows that repeat, or rows of one element.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/expand.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::expand, device::cpu, types<raw<Bits>>> : expand_by<strided_kernel_of<Bits>> {
};
}  // namespace v1
}  // namespace inlay
