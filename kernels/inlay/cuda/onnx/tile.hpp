// Tile on CUDA, in either layout.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/onnx/tile.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::tile, device::cuda, types<raw<Bits>>> : tile_by<strided_on_cuda<Bits>> {
};
}  // namespace v1
}  // namespace inlay
