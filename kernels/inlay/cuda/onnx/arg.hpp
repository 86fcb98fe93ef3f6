// ArgMax and ArgMin on CUDA: a warp or a block per row along memory, a thread per column across it. Limit: one read of
// every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/arg.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, class T> struct arg_on_cuda : arg_kernel<Op, T> {
    using typename arg_kernel<Op, T>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept;  // arg.cu
};
#define INLAY_ARG_TYPES(X) X(float) X(float16) X(bfloat16) X(std::int32_t) X(std::int64_t)
#define INLAY_ARG(T) \
    template <> struct kernel<op::arg_max, device::cuda, types<T>> : arg_on_cuda<op::arg_max, T> {}; \
    template <> struct kernel<op::arg_min, device::cuda, types<T>> : arg_on_cuda<op::arg_min, T> {};
INLAY_ARG_TYPES(INLAY_ARG)
#undef INLAY_ARG
}  // namespace v1
}  // namespace inlay
