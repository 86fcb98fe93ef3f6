// Add, Sub, Mul, Div, Mod, PRelu, And, Or and Xor on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/binary.hpp>

namespace inlay {
inline namespace v1 {
template <class Base, class F, class X, class Y> struct binary_on_cuda : Base {
    using typename Base::params;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // binary.cu
};
template <class Op, class T>
using arithmetic_on_cuda = binary_on_cuda<binary_kernel<Op>, element_of_arithmetic<Op>, T, T>;
#define INLAY_ARITHMETIC_TYPES(X) X(float) X(float16) X(bfloat16) X(std::int32_t) X(std::int64_t)
#define INLAY_ARITHMETIC(T) \
    template <> struct kernel<op::add, device::cuda, types<T>> : arithmetic_on_cuda<op::add, T> {}; \
    template <> struct kernel<op::sub, device::cuda, types<T>> : arithmetic_on_cuda<op::sub, T> {}; \
    template <> struct kernel<op::mul, device::cuda, types<T>> : arithmetic_on_cuda<op::mul, T> {}; \
    template <> \
    struct kernel<op::div, device::cuda, types<T>> : binary_on_cuda<binary_kernel<op::div>, element_of_div, T, T> {}; \
    template <> struct kernel<op::mod, device::cuda, types<T>> : binary_on_cuda<mod_kernel, element_of_mod, T, T> {}; \
    template <> \
    struct kernel<op::prelu, device::cuda, types<T>> : binary_on_cuda<prelu_kernel, element_of_prelu, T, T> {};
INLAY_ARITHMETIC_TYPES(INLAY_ARITHMETIC)
#undef INLAY_ARITHMETIC
template <class Op, class F> using logical_on_cuda = binary_on_cuda<binary_kernel<Op>, F, std::uint8_t, bool>;
template <>
struct kernel<op::logical_and, device::cuda, types<bool>> : logical_on_cuda<op::logical_and, element_of_and> {};
template <>
struct kernel<op::logical_or, device::cuda, types<bool>> : logical_on_cuda<op::logical_or, element_of_or> {};
template <>
struct kernel<op::logical_xor, device::cuda, types<bool>> : logical_on_cuda<op::logical_xor, element_of_xor> {};
}  // namespace v1
}  // namespace inlay
