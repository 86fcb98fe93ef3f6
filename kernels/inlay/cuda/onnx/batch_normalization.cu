// Device code of kernels/inlay/cuda/onnx/batch_normalization.hpp.
#include "batch_normalization.hpp"
#include <inlay/cuda/support/launch.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct batch_normalization_body {
    divider inner, channels;  // channels last: inner is 1, channels in steps of W; else inner is in steps of W
    bool channels_last;
    float epsilon;
    element scale_type, mean_type;
    const void *scale, *shift, *mean, *variance;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t rest = i;
        inner.split(rest);
        const std::int64_t first = channels.split(rest) * (channels_last ? W : 1);
        const auto v = load_lanes<W>(x + i * W);
        lanes<T, W> r;
        for (int k = 0; k < W; ++k) {
            const std::int64_t c = channels_last ? first + k : first;
            const float factor = load_float<float>(scale_type, scale, c) /
                                 std::sqrt(load_float<float>(mean_type, variance, c) + epsilon);
            r.at[k] = narrowed<T>((widened(v.at[k]) - load_float<float>(mean_type, mean, c)) * factor +
                                  load_float<float>(scale_type, shift, c));
        }
        store_lanes(y + i * W, r);
    }
};
}  // namespace
template <class T>
status batch_normalization_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    constexpr int w = full_lanes<T>;
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    const bool whole = is_aligned(x, y) && (p.channels_last ? p.channels : p.inner) % w == 0;
    return launch_lanes<w>(c, p.samples * p.channels * p.inner, whole, [&]<int W>(std::integral_constant<int, W>) {
        return batch_normalization_body<W, T>{divider(p.channels_last ? 1 : p.inner / W),
                                              divider(p.channels_last ? p.channels / W : p.channels),
                                              p.channels_last,
                                              float(p.epsilon),
                                              p.scale_type,
                                              p.mean_type,
                                              a.inputs[1],
                                              a.inputs[2],
                                              a.inputs[3],
                                              a.inputs[4],
                                              x,
                                              y};
    });
}
template struct batch_normalization_on_cuda<float>;
template struct batch_normalization_on_cuda<float16>;
template struct batch_normalization_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
