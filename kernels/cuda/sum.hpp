// Sum of floats on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include "../sum.hpp"

namespace inlay::inline v1 {
template <class T> struct sum_on_cuda : sum_kernel {
    static constexpr verdict supports(const node_view& n) {
        return std::is_same_v<T, float> || n.input_count() <= params::most ? sum_kernel::supports(n) : no("cuda: more than 32 inputs, and results between them would be rounded");
    }
    static constexpr layout_rule layouts(const node_view& n) {  // of more inputs, a constant might keep another layout than the rest
        return n.input_count() <= params::most ? layout_rule{layout::any, layout::any} : layout_rule{};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // sum.cu
};
template <> struct kernel<op::sum, device::cuda, types<float>> : sum_on_cuda<float> {};
template <> struct kernel<op::sum, device::cuda, types<float16>> : sum_on_cuda<float16> {};
template <> struct kernel<op::sum, device::cuda, types<bfloat16>> : sum_on_cuda<bfloat16> {};
}  // namespace inlay::inline v1
