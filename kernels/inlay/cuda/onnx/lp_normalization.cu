// Device code of kernels/inlay/cuda/onnx/lp_normalization.hpp.
#include "lp_normalization.hpp"
#include <inlay/cuda/support/rows.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct lp_normalization_row {
    struct total {
        double sum = 0;
        INLAY_ON_DEVICE static total join(total a, total b) { return {a.sum + b.sum}; }
    };
    static constexpr int rounds = 1;
    const T* x;
    T* y;
    std::int64_t length;
    lp_norm norm;
    INLAY_ON_DEVICE total part(int, std::int64_t row, team t, total accumulator) const {
        over_row<W>(x + row * length, length, t, [&](std::int64_t, const lanes<T, W>& v) {
            for (int k = 0; k < W; ++k) accumulator.sum += norm.term(widened(v.at[k]));
        });
        return accumulator;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        const double by = norm.of(reduction.sum);
        over_row<W>(x + row * length, length, t, [&](std::int64_t i, const lanes<T, W>& v) {
            lanes<T, W> r;
            for (int k = 0; k < W; ++k) r.at[k] = narrowed<T>(float(lp_norm::divided(widened(v.at[k]), by)));
            store_lanes(y + row * length + i, r);
        });
    }
};
template <class T> struct lp_normalization_column {
    const T* x;
    T* y;
    std::int64_t length;
    divider inner;
    lp_norm norm;
    INLAY_ON_DEVICE void operator()(std::int64_t o) const {
        const std::int64_t i = inner.split(o), step = std::int64_t(inner.by), first = o * length * step + i;
        double sum = 0;
        for (std::int64_t k = 0; k < length; ++k) sum += norm.term(widened(x[first + k * step]));
        const double by = norm.of(sum);
        for (std::int64_t k = 0; k < length; ++k)
            y[first + k * step] = narrowed<T>(float(lp_norm::divided(widened(x[first + k * step]), by)));
    }
};
}  // namespace
template <class T>
status lp_normalization_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    const auto [outer, length, inner] = p.lines;
    if (inner != 1) return launch(c, outer * inner, lp_normalization_column<T>{x, y, length, divider(inner), p.norm});
    return launch_rows_of<full_lanes<T>>(c, outer, length, is_aligned(x, y),
                                         [&]<int W>(std::integral_constant<int, W>) {
                                             return lp_normalization_row<W, T>{x, y, p.lines.length, p.norm};
                                         });
}
template struct lp_normalization_on_cuda<float>;
template struct lp_normalization_on_cuda<float16>;
template struct lp_normalization_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
