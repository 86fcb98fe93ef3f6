#include "rounding.hpp"
#include <inlay/cuda/onnx/cast.hpp>

namespace inlay {
inline namespace v1 {
status round_on_device(context& c, const void* floats, std::int64_t elements, element to, void* y) noexcept {
    const casting::params p{elements, element::f32, to, {}};
    const arguments a{&floats, &y};
    return to == element::f16 ? cast_on_cuda<float, float16>::run(p, {}, a, c)
                              : cast_on_cuda<float, bfloat16>::run(p, {}, a, c);
}
status widen_on_device(context& c, const void* x, std::int64_t elements, element from, void* floats) noexcept {
    const casting::params p{elements, from, element::f32, {}};
    const arguments a{&x, &floats};
    return from == element::f16 ? cast_on_cuda<float16, float>::run(p, {}, a, c)
                                : cast_on_cuda<bfloat16, float>::run(p, {}, a, c);
}
}  // namespace v1
}  // namespace inlay
