// Relu, Sigmoid, Tanh, Erf, Sqrt, HardSigmoid and HardSwish on CUDA, in any layout. Limit: one read and one write of every element.
#pragma once
#include "../unary.hpp"

namespace inlay::inline v1 {
template <class Op, class T> struct map_on_cuda : map_kernel<Op, T> {
    using typename map_kernel<Op, T>::params;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept;  // unary.cu
};
template <> struct kernel<op::relu, device::cuda, types<float>> : map_on_cuda<op::relu, float> {};
template <> struct kernel<op::relu, device::cuda, types<float16>> : map_on_cuda<op::relu, float16> {};
template <> struct kernel<op::relu, device::cuda, types<bfloat16>> : map_on_cuda<op::relu, bfloat16> {};
template <> struct kernel<op::sigmoid, device::cuda, types<float>> : map_on_cuda<op::sigmoid, float> {};
template <> struct kernel<op::sigmoid, device::cuda, types<float16>> : map_on_cuda<op::sigmoid, float16> {};
template <> struct kernel<op::sigmoid, device::cuda, types<bfloat16>> : map_on_cuda<op::sigmoid, bfloat16> {};
template <> struct kernel<op::tanh, device::cuda, types<float>> : map_on_cuda<op::tanh, float> {};
template <> struct kernel<op::tanh, device::cuda, types<float16>> : map_on_cuda<op::tanh, float16> {};
template <> struct kernel<op::tanh, device::cuda, types<bfloat16>> : map_on_cuda<op::tanh, bfloat16> {};
template <> struct kernel<op::erf, device::cuda, types<float>> : map_on_cuda<op::erf, float> {};
template <> struct kernel<op::erf, device::cuda, types<float16>> : map_on_cuda<op::erf, float16> {};
template <> struct kernel<op::erf, device::cuda, types<bfloat16>> : map_on_cuda<op::erf, bfloat16> {};
template <> struct kernel<op::sqrt, device::cuda, types<float>> : map_on_cuda<op::sqrt, float> {};
template <> struct kernel<op::sqrt, device::cuda, types<float16>> : map_on_cuda<op::sqrt, float16> {};
template <> struct kernel<op::sqrt, device::cuda, types<bfloat16>> : map_on_cuda<op::sqrt, bfloat16> {};
template <> struct kernel<op::hard_sigmoid, device::cuda, types<float>> : map_on_cuda<op::hard_sigmoid, float> {};
template <> struct kernel<op::hard_sigmoid, device::cuda, types<float16>> : map_on_cuda<op::hard_sigmoid, float16> {};
template <> struct kernel<op::hard_sigmoid, device::cuda, types<bfloat16>> : map_on_cuda<op::hard_sigmoid, bfloat16> {};
template <> struct kernel<op::hard_swish, device::cuda, types<float>> : map_on_cuda<op::hard_swish, float> {};
template <> struct kernel<op::hard_swish, device::cuda, types<float16>> : map_on_cuda<op::hard_swish, float16> {};
template <> struct kernel<op::hard_swish, device::cuda, types<bfloat16>> : map_on_cuda<op::hard_swish, bfloat16> {};
}  // namespace inlay::inline v1
