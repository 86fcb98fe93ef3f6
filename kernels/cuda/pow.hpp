// Pow of floats on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include "../pow.hpp"

namespace inlay::inline v1 {
template <> struct kernel<op::pow, device::cuda, types<float, float>> : binary_kernel<op::pow> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // pow.cu
};
}  // namespace inlay::inline v1
