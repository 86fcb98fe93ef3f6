// Add, Sub, Mul, Div, And and LessOrEqual on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include "../binary.hpp"

namespace inlay::inline v1 {
template <class Op, class F, class X, class Y> struct binary_on_cuda : binary_kernel<Op> {
    using typename binary_kernel<Op>::params;
    static constexpr reuse shares = std::is_same_v<X, Y> ? reuse::in_place : reuse::none;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept;  // binary.cu
};
template <class Op, class T> using arithmetic_on_cuda = binary_on_cuda<Op, element_of_arithmetic<Op>, T, T>;
#define INLAY_ARITHMETIC_TYPES(X) X(float) X(float16) X(bfloat16) X(std::int32_t) X(std::int64_t)
#define INLAY_ARITHMETIC(T) \
    template <> struct kernel<op::add, device::cuda, types<T>> : arithmetic_on_cuda<op::add, T> {}; \
    template <> struct kernel<op::sub, device::cuda, types<T>> : arithmetic_on_cuda<op::sub, T> {}; \
    template <> struct kernel<op::mul, device::cuda, types<T>> : arithmetic_on_cuda<op::mul, T> {}; \
    template <> struct kernel<op::div, device::cuda, types<T>> : binary_on_cuda<op::div, element_of_div, T, T> {}; \
    template <> struct kernel<op::less_or_equal, device::cuda, types<T, bool>> : binary_on_cuda<op::less_or_equal, element_of_less_or_equal, T, bool> {};
INLAY_ARITHMETIC_TYPES(INLAY_ARITHMETIC)
#undef INLAY_ARITHMETIC
template <> struct kernel<op::logical_and, device::cuda, types<bool>> : binary_on_cuda<op::logical_and, element_of_and, std::uint8_t, bool> {};
}  // namespace inlay::inline v1
