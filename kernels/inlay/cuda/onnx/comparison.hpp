// Equal, Less, Greater, LessOrEqual and GreaterOrEqual on CUDA, in any layout. Limit: the bytes of operands and result.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/comparison.hpp>

namespace inlay {
inline namespace v1 {
template <class F, class T>
status compare_on_cuda(const binary_kernel<op::comparison>::params& p, const T* a, const T* b, bool* y,
                       context& c) noexcept;  // comparison.cu
template <class Op, class T> struct comparison_on_cuda : compare_kernel<Op, T> {
    using typename compare_kernel<Op, T>::stored;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const comparison_kernel::params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept {
        return compare_on_cuda<typename comparison_of<Op, T>::type>(p, a.in<stored>(exchanges<Op>),
                                                                    a.in<stored>(!exchanges<Op>), a.out<bool>(0), c);
    }
};
#define INLAY_COMPARED_TYPES(X) X(float) X(float16) X(bfloat16) X(std::int32_t) X(std::int64_t)
#define INLAY_COMPARISON(T) \
    template <> struct kernel<op::less, device::cuda, types<T, bool>> : comparison_on_cuda<op::less, T> {}; \
    template <> struct kernel<op::greater, device::cuda, types<T, bool>> : comparison_on_cuda<op::greater, T> {}; \
    template <> \
    struct kernel<op::less_or_equal, device::cuda, types<T, bool>> : comparison_on_cuda<op::less_or_equal, T> {}; \
    template <> \
    struct kernel<op::greater_or_equal, device::cuda, types<T, bool>> : comparison_on_cuda<op::greater_or_equal, T> { \
    }; \
    template <> struct kernel<op::equal, device::cuda, types<T, bool>> : comparison_on_cuda<op::equal, T> {};
INLAY_COMPARED_TYPES(INLAY_COMPARISON)
#undef INLAY_COMPARISON
template <> struct kernel<op::equal, device::cuda, types<bool, bool>> : comparison_on_cuda<op::equal, bool> {};
}  // namespace v1
}  // namespace inlay
