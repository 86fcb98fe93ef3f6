// Tile on CUDA, in either layout.
#pragma once
#include <inlay/onnx/tile.hpp>
#include <inlay/cuda/support/moving.hpp>

namespace inlay::inline v1 {
template <int Bits> requires whole_bytes<Bits> struct kernel<op::tile, device::cuda, types<raw<Bits>>> : tile_by<strided_on_cuda<Bits>> {};
}  // namespace inlay::inline v1
