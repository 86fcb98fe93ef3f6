// Pow of floating-point types on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/pow.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct pow_on_cuda : binary_kernel<op::pow> {
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // pow.cu
};
template <> struct kernel<op::pow, device::cuda, types<float, float>> : pow_on_cuda<float> {};
template <> struct kernel<op::pow, device::cuda, types<float16, float16>> : pow_on_cuda<float16> {};
template <> struct kernel<op::pow, device::cuda, types<bfloat16, bfloat16>> : pow_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay
