// Layout conversion on the CPU: a blocked transpose of channels and pixels, or a copy where there is one of either.
#pragma once
#include "strided_copy.hpp"
#include <inlay/support/relayout.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::relayout, device::cpu, types<raw<Bits>>> : relayout_by<strided_kernel_of<Bits>> {
};
}  // namespace v1
}  // namespace inlay
