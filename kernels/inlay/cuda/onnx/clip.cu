// Device code of kernels/inlay/cuda/onnx/clip.hpp.
#include "clip.hpp"
#include <inlay/cuda/support/element_wise.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct clip_between {
    clip_bounds<T> otherwise;
    const T *low, *high;
    INLAY_ON_DEVICE computed<T> operator()(computed<T> x) const {
        return element_of_clip<computed<T>>{widened(low ? *low : otherwise.low),
                                            widened(high ? *high : otherwise.high)}(x);
    }
};
}  // namespace
template <class T>
status clip_on_cuda<T>::run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
    return map(c, p.count, a.in<T>(0), a.out<T>(0),
               clip_between<T>{p.bounds, p.inputs > 1 ? a.in<T>(1) : nullptr, p.inputs > 2 ? a.in<T>(2) : nullptr});
}
template struct clip_on_cuda<float>;
template struct clip_on_cuda<float16>;
template struct clip_on_cuda<bfloat16>;
template struct clip_on_cuda<std::int32_t>;
template struct clip_on_cuda<std::int64_t>;
}  // namespace v1
}  // namespace inlay
