// What the threads of kernels/cuda/binary.hpp do.
#include "binary.hpp"
#include "element_wise.cuh"

namespace inlay::inline v1 {
namespace {
template <class F> struct guarded {  // division of integers: a thread that meets 0 leaves a note, and 0
    F f;
    unsigned* faults;
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        if (b != T(0)) return f(a, b);
        report(faults, fault::division_by_zero);
        return T(0);
    }
};
}  // namespace
template <class Op, class F, class X, class Y> status binary_on_cuda<Op, F, X, Y>::run(const params& p, const simple_kernel::state&, const arguments& args, context& c) noexcept {
    if constexpr (std::is_same_v<F, element_of_div> && std::integral<X>) return combine(c, p.loops, args.in<X>(0), args.in<X>(1), args.out<Y>(0), guarded<F>{{}, c.faults});
    else return combine(c, p.loops, args.in<X>(0), args.in<X>(1), args.out<Y>(0), F{});
}
#define INLAY_ARITHMETIC(T) \
    template struct binary_on_cuda<op::add, element_of_arithmetic<op::add>, T, T>; \
    template struct binary_on_cuda<op::sub, element_of_arithmetic<op::sub>, T, T>; \
    template struct binary_on_cuda<op::mul, element_of_arithmetic<op::mul>, T, T>; \
    template struct binary_on_cuda<op::div, element_of_div, T, T>; \
    template struct binary_on_cuda<op::less_or_equal, element_of_less_or_equal, T, bool>;
INLAY_ARITHMETIC_TYPES(INLAY_ARITHMETIC)
#undef INLAY_ARITHMETIC
template struct binary_on_cuda<op::logical_and, element_of_and, std::uint8_t, bool>;
}  // namespace inlay::inline v1
