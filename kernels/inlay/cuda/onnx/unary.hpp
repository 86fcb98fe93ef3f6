// The functions of one element on CUDA, of integers those that have them, in any layout. Limit: one read and one write
// of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/unary.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, class T> struct map_on_cuda : map_kernel<Op, T> {
    using typename map_kernel<Op, T>::params;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // unary.cu
};
#define INLAY_FUNCTIONS_ON_CUDA(X) \
    X(relu) \
    X(sigmoid) \
    X(tanh) \
    X(erf) \
    X(sqrt) \
    X(hard_sigmoid) \
    X(hard_swish) \
    X(leaky_relu) \
    X(elu) \
    X(selu) \
    X(softplus) \
    X(neg) \
    X(abs) \
    X(sign) \
    X(reciprocal) \
    X(exp) \
    X(log) \
    X(sin) \
    X(cos) \
    X(floor) \
    X(ceil) \
    X(round) \
    X(gelu) \
    X(mish) \
    X(swish) \
    X(softsign) \
    X(celu) \
    X(thresholded_relu) \
    X(shrink) \
    X(tan) \
    X(asin) \
    X(acos) \
    X(atan) \
    X(sinh) \
    X(cosh) \
    X(asinh) \
    X(acosh) \
    X(atanh)
#define INLAY_FUNCTION(name) \
    template <> struct kernel<op::name, device::cuda, types<float>> : map_on_cuda<op::name, float> {}; \
    template <> struct kernel<op::name, device::cuda, types<float16>> : map_on_cuda<op::name, float16> {}; \
    template <> struct kernel<op::name, device::cuda, types<bfloat16>> : map_on_cuda<op::name, bfloat16> {};
INLAY_FUNCTIONS_ON_CUDA(INLAY_FUNCTION)
#undef INLAY_FUNCTION
#define INLAY_INTEGER_FUNCTIONS_ON_CUDA(X) X(relu) X(neg) X(abs) X(sign)
#define INLAY_FUNCTION(name) \
    template <> struct kernel<op::name, device::cuda, types<std::int32_t>> : map_on_cuda<op::name, std::int32_t> {}; \
    template <> struct kernel<op::name, device::cuda, types<std::int64_t>> : map_on_cuda<op::name, std::int64_t> {};
INLAY_INTEGER_FUNCTIONS_ON_CUDA(INLAY_FUNCTION)
#undef INLAY_FUNCTION
template <> struct kernel<op::logical_not, device::cuda, types<bool>> : map_on_cuda<op::logical_not, bool> {};
}  // namespace v1
}  // namespace inlay
