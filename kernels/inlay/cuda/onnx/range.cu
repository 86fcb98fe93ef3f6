// Device code of kernels/inlay/cuda/onnx/range.hpp and shape.hpp.
#include "range.hpp"
#include "shape.hpp"
#include <inlay/cuda/support/launch.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct range_body {
    using A = std::conditional_t<std::is_integral_v<T>, std::uint64_t,
                                 T>;  // modulo 2^64: right where i * delta alone would overflow
    const T *start, *delta;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const { y[i] = T(A(*start) + A(i) * A(*delta)); }
};
struct shape_body {
    shape dims;
    std::int64_t* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const { y[i] = dims[int(i)]; }
};
}  // namespace
template <class T>
status range_on_cuda<T>::run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
    return launch(c, p.count, range_body<T>{a.in<T>(0), a.in<T>(2), a.out<T>(0)});
}
template struct range_on_cuda<float>;
template struct range_on_cuda<std::int32_t>;
template struct range_on_cuda<std::int64_t>;

status kernel<op::shape_of, device::cuda, types<any_element>>::run(const params& p, const state&, const arguments& a,
                                                                   context& c) noexcept {
    return launch(c, p.dims.rank, shape_body{p.dims, a.out<std::int64_t>(0)});
}
}  // namespace v1
}  // namespace inlay
