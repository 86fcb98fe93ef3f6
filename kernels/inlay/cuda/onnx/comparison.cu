// Device code of kernels/inlay/cuda/onnx/comparison.hpp.
#include "comparison.hpp"
#include <inlay/cuda/support/element_wise.cuh>

namespace inlay {
inline namespace v1 {
template <class F, class T>
status compare_on_cuda(const binary_kernel<op::comparison>::params& p, const T* a, const T* b, bool* y,
                       context& c) noexcept {
    return combine(c, p.loops, a, b, y, F{});
}
#define INLAY_COMPARISON(F, T) \
    template status compare_on_cuda<F, T>(const binary_kernel<op::comparison>::params&, const T*, const T*, bool*, \
                                          context&) noexcept;
#define INLAY_COMPARISONS(T) \
    INLAY_COMPARISON(element_of_less, T) \
    INLAY_COMPARISON(element_of_less_or_equal, T) INLAY_COMPARISON(element_of_equal, T)
INLAY_COMPARED_TYPES(INLAY_COMPARISONS)
INLAY_COMPARISON(element_of_equality, std::uint8_t)
#undef INLAY_COMPARISONS
#undef INLAY_COMPARISON
}  // namespace v1
}  // namespace inlay
