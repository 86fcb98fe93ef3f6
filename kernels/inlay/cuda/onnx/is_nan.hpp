// IsNaN and IsInf on CUDA, in any layout. Limit: one read and one write of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/is_nan.hpp>

namespace inlay {
inline namespace v1 {
template <class F, class T> struct test_on_cuda : test_kernel<F, T> {
    using typename test_kernel<F, T>::params;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // unary.cu
};
#define INLAY_TEST(T) \
    template <> struct kernel<op::is_nan, device::cuda, types<T, bool>> : test_on_cuda<element_of_is_nan, T> {}; \
    template <> struct kernel<op::is_inf, device::cuda, types<T, bool>> : test_on_cuda<element_of_is_inf, T> {};
INLAY_TEST(float)
INLAY_TEST(float16)
INLAY_TEST(bfloat16)
#undef INLAY_TEST
}  // namespace v1
}  // namespace inlay
