// Tile programs on CUDA, in any layout: each thread runs the program for its elements. Limit: the bytes of operands and
// result.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/fused/tile_program.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::tile_program, device::cuda, types<float>> : tile_program_kernel {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // tile_program.cu
};
}  // namespace v1
}  // namespace inlay
