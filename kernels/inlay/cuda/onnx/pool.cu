// Device code of kernels/inlay/cuda/onnx/pool.hpp.
#include "pool.hpp"
#include <inlay/cuda/support/reduce.cuh>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, bool Maximum, class T> struct pool_body {
    window_axis axes[3];
    divider channels, out[3];  // channels: contiguous ones, in steps of W
    bool include_padding;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const window_axis &a = axes[0], &b = axes[1], &c = axes[2];
        std::int64_t rest = i;
        const std::int64_t channel = channels.split(rest), w = out[2].split(rest), v = out[1].split(rest),
                           u = out[0].split(rest), step = std::int64_t(channels.by) * W;
        const T* const from = x + rest * a.in * b.in * c.in * step + channel * W;
        float accumulators[W];
        for (int e = 0; e < W; ++e) accumulators[e] = Maximum ? -std::numeric_limits<float>::infinity() : 0;
        for (std::int64_t j = a.taps(u, 0), j_end = a.taps(u, a.in); j < j_end; ++j)
            for (std::int64_t k = b.taps(v, 0), k_end = b.taps(v, b.in); k < k_end; ++k)
                for (std::int64_t l = c.taps(w, 0), l_end = c.taps(w, c.in); l < l_end; ++l) {
                    const auto values = load_lanes<W>(
                        from + ((a.position(u, j) * b.in + b.position(v, k)) * c.in + c.position(w, l)) * step);
                    for (int e = 0; e < W; ++e) {
                        const float value = widened(values.at[e]);
                        if (!Maximum)
                            accumulators[e] += value;
                        else if (!(value <= accumulators[e]) && accumulators[e] == accumulators[e])
                            accumulators[e] = value;  // the first NaN stays
                    }
                }
        const float count =
            Maximum
                ? 1
                : float(a.counted(u, include_padding) * b.counted(v, include_padding) * c.counted(w, include_padding));
        lanes<T, W> r;
        for (int e = 0; e < W; ++e)
            r.at[e] = narrowed<T>(Maximum ? accumulators[e] : count > 0 ? accumulators[e] / count : 0);
        store_lanes(y + i * W, r);
    }
};
}  // namespace
template <class T, bool Maximum>
status pool_on_cuda<T, Maximum>::run(const params& p, const state&, const arguments& args, context& c) noexcept {
    constexpr int w = full_lanes<T>;
    const auto& a = p.windows.axes;
    const T* x = args.in<T>(0);
    T* y = args.out<T>(0);
    const std::int64_t count = p.windows.planes * a[0].out * a[1].out * a[2].out;
    return launch_lanes<w>(
        c, count, p.channels % w == 0 && is_aligned(x, y), [&]<int W>(std::integral_constant<int, W>) {
            return pool_body<W, Maximum, T>{{a[0], a[1], a[2]},
                                            divider(p.channels / W),
                                            {divider(a[0].out), divider(a[1].out), divider(a[2].out)},
                                            p.windows.include_padding,
                                            x,
                                            y};
        });
}
template struct pool_on_cuda<float, true>;
template struct pool_on_cuda<float, false>;
template struct pool_on_cuda<float16, true>;
template struct pool_on_cuda<float16, false>;
template struct pool_on_cuda<bfloat16, true>;
template struct pool_on_cuda<bfloat16, false>;

template <class T>
status global_pool_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    return fold_middle<op::reduce_mean::fold<double>>(c, p, a.in<T>(0), a.out<T>(0));
}
template struct global_pool_on_cuda<float>;
template struct global_pool_on_cuda<float16>;
template struct global_pool_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
