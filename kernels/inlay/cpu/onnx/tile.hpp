// Tile on the CPU, in either layout.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/tile.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::tile, device::cpu, types<raw<Bits>>> : tile_by<strided_kernel_of<Bits>> {
};
}  // namespace v1
}  // namespace inlay
