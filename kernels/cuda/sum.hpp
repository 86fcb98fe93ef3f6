// Sum, Min and Max of floats on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include "../sum.hpp"

namespace inlay::inline v1 {
template <class Op, class T> struct joining_on_cuda : sum_kernel {
    static constexpr verdict supports(const node_view& n) {
        return std::is_same_v<T, float> || n.input_count() <= params::most ? sum_kernel::supports(n) : no("cuda: more than 32 inputs, and results between them would be rounded");
    }
    static constexpr layout_rule layouts(const node_view& n) {  // of more inputs, a constant might keep another layout than the rest
        return n.input_count() <= params::most ? layout_rule{layout::any, layout::any} : layout_rule{};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // sum.cu
};
#define INLAY_JOINING(T) \
    template <> struct kernel<op::sum, device::cuda, types<T>> : joining_on_cuda<op::sum, T> {}; \
    template <> struct kernel<op::max, device::cuda, types<T>> : joining_on_cuda<op::max, T> {}; \
    template <> struct kernel<op::min, device::cuda, types<T>> : joining_on_cuda<op::min, T> {};
INLAY_JOINING(float)
INLAY_JOINING(float16)
INLAY_JOINING(bfloat16)
#undef INLAY_JOINING
}  // namespace inlay::inline v1
