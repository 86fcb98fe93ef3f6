// DepthToSpace and SpaceToDepth on the CPU, in either layout.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/depth_to_space.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::depth_to_space, device::cpu, types<raw<Bits>>>
    : blocks_by<op::depth_to_space, strided_kernel_of<Bits>> {
};
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::space_to_depth, device::cpu, types<raw<Bits>>>
    : blocks_by<op::space_to_depth, strided_kernel_of<Bits>> {
};
}  // namespace v1
}  // namespace inlay
