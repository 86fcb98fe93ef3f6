// Device code of kernels/inlay/cuda/onnx/lrn.hpp.
#include "lrn.hpp"
#include <inlay/cuda/support/launch.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct lrn_body {
    divider step, channels;
    std::int64_t below, above;
    float alpha, beta, bias;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t rest = i;
        step.split(rest);
        const std::int64_t c = channels.split(rest), s = std::int64_t(step.by), n = std::int64_t(channels.by);
        const std::int64_t lowest = c < below ? 0 : c - below, highest = c + above < n ? c + above : n - 1;
        float sum = 0;
        for (std::int64_t k = lowest; k <= highest; ++k) {
            const float v = widened(x[i + (k - c) * s]);
            sum += v * v;
        }
        y[i] = narrowed<T>(widened(x[i]) / std::pow(bias + alpha * sum, beta));
    }
};
}  // namespace
template <class T> status lrn_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    return launch(c, p.samples * p.channels * p.inner,
                  lrn_body<T>{divider(p.step), divider(p.channels), p.below, p.above, float(p.alpha), float(p.beta),
                              float(p.bias), a.in<T>(0), a.out<T>(0)});
}
template struct lrn_on_cuda<float>;
template struct lrn_on_cuda<float16>;
template struct lrn_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
