// DepthToSpace and SpaceToDepth on CUDA, in either layout.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/depth_to_space.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::depth_to_space, device::cuda, types<raw<Bits>>>
    : blocks_by<op::depth_to_space, strided_on_cuda<Bits>> {
};
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::space_to_depth, device::cuda, types<raw<Bits>>>
    : blocks_by<op::space_to_depth, strided_on_cuda<Bits>> {
};
}  // namespace v1
}  // namespace inlay
