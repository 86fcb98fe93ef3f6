// Device code of kernels/inlay/cuda/onnx/softmax.hpp.
#include "softmax.hpp"
#include <inlay/cuda/support/best.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, bool Log, class T> struct softmax_row {
    struct total {  // round 0: the maximum; round 1: also the sum
        float most = -std::numeric_limits<float>::infinity(), sum = 0;
        INLAY_ON_DEVICE static total join(total a, total b) {
            return {a.most > b.most ? a.most : b.most, a.sum + b.sum};
        }
    };
    static constexpr int rounds = 2;
    const T* x;
    T* y;
    std::int64_t length;
    INLAY_ON_DEVICE total part(int round, std::int64_t row, team t, total before) const {
        total accumulator = before;
        over_row<W>(x + row * length, length, t, [&](std::int64_t, const lanes<T, W>& v) {
            for (int k = 0; k < W; ++k) {
                const float e = widened(v.at[k]);
                if (round == 1)
                    accumulator.sum += std::exp(e - before.most);
                else if (e > accumulator.most)
                    accumulator.most = e;
            }
        });
        return accumulator;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        const float log_sum = Log ? std::log(reduction.sum) : 0;
        over_row<W>(x + row * length, length, t, [&](std::int64_t i, const lanes<T, W>& v) {
            lanes<T, W> r;
            for (int k = 0; k < W; ++k) {
                const float e = widened(v.at[k]) - reduction.most;
                r.at[k] = narrowed<T>(Log ? e - log_sum : std::exp(e) / reduction.sum);
            }
            store_lanes(y + row * length + i, r);
        });
    }
};
template <bool Log, class T> struct softmax_column {
    const T* x;
    T* y;
    std::int64_t length;
    divider inner;
    INLAY_ON_DEVICE void operator()(std::int64_t o) const {
        const std::int64_t i = inner.split(o), step = std::int64_t(inner.by), first = o * length * step + i;
        float most = -std::numeric_limits<float>::infinity(), sum = 0;
        for (std::int64_t k = 0; k < length; ++k)
            if (const float v = widened(x[first + k * step]); v > most) most = v;
        for (std::int64_t k = 0; k < length; ++k) sum += std::exp(widened(x[first + k * step]) - most);
        const float log_sum = Log ? std::log(sum) : 0;
        for (std::int64_t k = 0; k < length; ++k) {
            const float e = widened(x[first + k * step]) - most;
            y[first + k * step] = narrowed<T>(Log ? e - log_sum : std::exp(e) / sum);
        }
    }
};
template <class T> struct hardmax_row : best_of_row<true, T> {
    T* y;
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, typename best_of_row<true, T>::total reduction) const {
        for (std::int64_t i = t.rank; i < this->length; i += t.size)
            y[row * this->length + i] = narrowed<T>(i == reduction.index ? 1.f : 0.f);
    }
};
template <class T> struct hardmax_column {
    const T* x;
    T* y;
    std::int64_t length;
    divider inner;
    INLAY_ON_DEVICE void operator()(std::int64_t o) const {
        const std::int64_t i = inner.split(o), step = std::int64_t(inner.by), first = o * length * step + i,
                           best = best_of_column<true>(x + first, length, step, false);
        for (std::int64_t k = 0; k < length; ++k) y[first + k * step] = narrowed<T>(k == best ? 1.f : 0.f);
    }
};
}  // namespace
template <class T, bool Log>
status softmax_on_cuda<T, Log>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                    context& c) noexcept {
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    if (p.inner != 1) return launch(c, p.outer * p.inner, softmax_column<Log, T>{x, y, p.length, divider(p.inner)});
    return launch_rows_of<full_lanes<T>>(c, p.outer, p.length, is_aligned(x, y),
                                         [&]<int W>(std::integral_constant<int, W>) {
                                             return softmax_row<W, Log, T>{x, y, p.length};
                                         });
}
template <class T>
status hardmax_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    if (p.length == 0) return status::ok;
    if (p.inner == 1) return launch_rows(c, p.outer, p.length, hardmax_row<T>{{x, p.length, false}, y});
    return launch(c, p.outer * p.inner, hardmax_column<T>{x, y, p.length, divider(p.inner)});
}
template struct softmax_on_cuda<float, false>;
template struct softmax_on_cuda<float, true>;
template struct softmax_on_cuda<float16, false>;
template struct softmax_on_cuda<float16, true>;
template struct softmax_on_cuda<bfloat16, false>;
template struct softmax_on_cuda<bfloat16, true>;
template struct hardmax_on_cuda<float>;
template struct hardmax_on_cuda<float16>;
template struct hardmax_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
