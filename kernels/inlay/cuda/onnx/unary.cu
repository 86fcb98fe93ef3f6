// Device code of kernels/inlay/cuda/onnx/unary.hpp, kernels/inlay/cuda/onnx/bitwise.hpp and
// kernels/inlay/cuda/onnx/is_nan.hpp do.
#include "bitwise.hpp"
#include "is_nan.hpp"
#include <inlay/cuda/support/element_wise.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class Op, class A> struct apply_with_numbers {
    A a, b;
    INLAY_ON_DEVICE A operator()(A x) const { return Op::template apply<A>(x, a, b); }
};
}  // namespace
template <class Op, class T>
status map_on_cuda<Op, T>::run(const params& p, const simple_kernel::state&, const arguments& args,
                               context& c) noexcept {
    if constexpr (std::is_same_v<T, bool>)
        return map(c, p.count, args.in<std::uint8_t>(0), args.out<std::uint8_t>(0),
                   apply_with_numbers<Op, std::uint8_t>{0, 0});
    else {
        using A = computed<T>;
        return map(c, p.count, args.in<T>(0), args.out<T>(0),
                   apply_with_numbers<Op, A>{static_cast<A>(p.numbers[0]), static_cast<A>(p.numbers[1])});
    }
}
#define INLAY_FUNCTION(name) \
    template struct map_on_cuda<op::name, float>; \
    template struct map_on_cuda<op::name, float16>; \
    template struct map_on_cuda<op::name, bfloat16>;
INLAY_FUNCTIONS_ON_CUDA(INLAY_FUNCTION)
#undef INLAY_FUNCTION
#define INLAY_FUNCTION(name) \
    template struct map_on_cuda<op::name, std::int32_t>; \
    template struct map_on_cuda<op::name, std::int64_t>;
INLAY_INTEGER_FUNCTIONS_ON_CUDA(INLAY_FUNCTION)
#undef INLAY_FUNCTION
#define INLAY_NOT(T) template struct map_on_cuda<op::bitwise_not, T>;
INLAY_UNSIGNED_TYPES(INLAY_NOT)
#undef INLAY_NOT
template struct map_on_cuda<op::logical_not, bool>;

template <class F, class T>
status test_on_cuda<F, T>::run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
    return map(c, p.count, a.in<T>(0), a.out<bool>(0), p.f);
}
template struct test_on_cuda<element_of_is_nan, float>;
template struct test_on_cuda<element_of_is_nan, float16>;
template struct test_on_cuda<element_of_is_nan, bfloat16>;
template struct test_on_cuda<element_of_is_inf, float>;
template struct test_on_cuda<element_of_is_inf, float16>;
template struct test_on_cuda<element_of_is_inf, bfloat16>;
}  // namespace v1
}  // namespace inlay
