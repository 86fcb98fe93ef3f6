// Device code of kernels/inlay/cuda/onnx/binary.hpp and kernels/inlay/cuda/onnx/bitwise.hpp.
#include "bitwise.hpp"
#include <inlay/cuda/support/element_wise.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class F> struct guarded {  // division of integers: a thread that meets 0 records a fault, and stores 0
    F f;
    unsigned* faults;
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        if (b != T(0)) return f(a, b);
        report(faults, fault::division_by_zero);
        return T(0);
    }
};
}  // namespace
template <class Base, class F, class X, class Y>
status binary_on_cuda<Base, F, X, Y>::run(const params& p, const simple_kernel::state&, const arguments& args,
                                          context& c) noexcept {
    const auto start = [&](auto f) { return combine(c, p.loops, args.in<X>(0), args.in<X>(1), args.out<Y>(0), f); };
    constexpr bool divides = std::is_same_v<F, element_of_div> || std::is_same_v<F, element_of_mod>;
    F f{};
    if constexpr (std::is_same_v<F, element_of_mod>) f.as_in_c = p.as_in_c;
    if constexpr (std::is_same_v<F, element_of_shift>) f.left = p.left;
    if constexpr (divides && std::integral<X>)
        return start(guarded<F>{f, c.faults});
    else
        return start(f);
}
#define INLAY_ARITHMETIC(T) \
    template struct binary_on_cuda<binary_kernel<op::add>, element_of_arithmetic<op::add>, T, T>; \
    template struct binary_on_cuda<binary_kernel<op::sub>, element_of_arithmetic<op::sub>, T, T>; \
    template struct binary_on_cuda<binary_kernel<op::mul>, element_of_arithmetic<op::mul>, T, T>; \
    template struct binary_on_cuda<binary_kernel<op::div>, element_of_div, T, T>; \
    template struct binary_on_cuda<mod_kernel, element_of_mod, T, T>; \
    template struct binary_on_cuda<prelu_kernel, element_of_prelu, T, T>;
INLAY_ARITHMETIC_TYPES(INLAY_ARITHMETIC)
#undef INLAY_ARITHMETIC
template struct binary_on_cuda<binary_kernel<op::logical_and>, element_of_and, std::uint8_t, bool>;
template struct binary_on_cuda<binary_kernel<op::logical_or>, element_of_or, std::uint8_t, bool>;
template struct binary_on_cuda<binary_kernel<op::logical_xor>, element_of_xor, std::uint8_t, bool>;
#define INLAY_BITWISE(T) \
    template struct binary_on_cuda<binary_kernel<op::bitwise_and>, element_of_arithmetic<op::bitwise_and>, T, T>; \
    template struct binary_on_cuda<binary_kernel<op::bitwise_or>, element_of_arithmetic<op::bitwise_or>, T, T>; \
    template struct binary_on_cuda<binary_kernel<op::bitwise_xor>, element_of_arithmetic<op::bitwise_xor>, T, T>;
INLAY_UNSIGNED_TYPES(INLAY_BITWISE)
#undef INLAY_BITWISE
#define INLAY_SHIFT(T) template struct binary_on_cuda<shift_kernel, element_of_shift, T, T>;
INLAY_SHIFTED_TYPES(INLAY_SHIFT)
#undef INLAY_SHIFT
}  // namespace v1
}  // namespace inlay
