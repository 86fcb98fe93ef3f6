// Device code of kernels/inlay/cuda/onnx/layer_normalization.hpp
// and of kernels/inlay/cuda/onnx/rms_normalization.hpp.
#include "layer_normalization.hpp"
#include "rms_normalization.hpp"
#include <inlay/cuda/support/moments.cuh>
#include <inlay/cuda/support/rows.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct layer_normalization_row {
    using total = moments;
    static constexpr int rounds = moments::rounds;
    const T *x, *scale, *shift;
    T* y;
    void *means, *inverses;  // null where not required
    bool small_stash;
    std::int64_t length;
    double epsilon;
    INLAY_ON_DEVICE total part(int round, std::int64_t row, team t, total before) const {
        return moments::part(round, t, before, length, [&](auto f) {
            over_row<W>(x + row * length, length, t, [&](std::int64_t, const lanes<T, W>& v) {
                for (int k = 0; k < W; ++k) f(widened(v.at[k]));
            });
        });
    }
    INLAY_ON_DEVICE void keep(void* to, std::int64_t row, double value) const {
        if (!to) return;
        if (small_stash)
            static_cast<bfloat16*>(to)[row] = narrowed<bfloat16>(float(value));
        else
            static_cast<float*>(to)[row] = float(value);
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        const double mean = reduction.mean(length), inverse = 1 / std::sqrt(reduction.variance(length) + epsilon);
        over_row<W>(x + row * length, length, t, [&](std::int64_t i, const lanes<T, W>& v) {
            const auto by = load_lanes<W>(scale + i), plus = shift ? load_lanes<W>(shift + i) : lanes<T, W>{};
            lanes<T, W> r;
            for (int k = 0; k < W; ++k) {
                const float scaled = float((double(widened(v.at[k])) - mean) * inverse) * widened(by.at[k]);
                r.at[k] = narrowed<T>(shift ? scaled + widened(plus.at[k]) : scaled);
            }
            store_lanes(y + row * length + i, r);
        });
        if (t.rank == 0) keep(means, row, mean), keep(inverses, row, inverse);
    }
};
template <int W, class T> struct rms_normalization_row {
    struct total {
        double squares = 0;
        INLAY_ON_DEVICE static total join(total a, total b) { return {a.squares + b.squares}; }
    };
    static constexpr int rounds = 1;
    const T *x, *scale;
    T* y;
    std::int64_t length;
    double epsilon;
    INLAY_ON_DEVICE total part(int, std::int64_t row, team t, total accumulator) const {
        over_row<W>(x + row * length, length, t, [&](std::int64_t, const lanes<T, W>& v) {
            for (int k = 0; k < W; ++k) accumulator.squares += double(widened(v.at[k])) * double(widened(v.at[k]));
        });
        return accumulator;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        const double inverse = 1 / std::sqrt(reduction.squares / double(length) + epsilon);
        over_row<W>(x + row * length, length, t, [&](std::int64_t i, const lanes<T, W>& v) {
            const auto by = load_lanes<W>(scale + i);
            lanes<T, W> r;
            for (int k = 0; k < W; ++k)
                r.at[k] = narrowed<T>(float(double(widened(v.at[k])) * inverse) * widened(by.at[k]));
            store_lanes(y + row * length + i, r);
        });
    }
};
}  // namespace
template <class T>
status layer_normalization_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const presence& has = p.has;
    const T *x = a.in<T>(0), *scale = a.in<T>(1), *shift = has.in<T>(a, 2);
    T* y = a.out<T>(0);
    void *means = has.out<void>(a, 1), *inverses = has.out<void>(a, 2);
    return launch_rows_of<full_lanes<T>>(c, p.rows, p.length, is_aligned(x, y, scale) && (!shift || is_aligned(shift)),
                                         [&]<int W>(std::integral_constant<int, W>) {
                                             return layer_normalization_row<W, T>{
                                                 x,        scale,         shift,    y,        means,
                                                 inverses, p.small_stash, p.length, p.epsilon};
                                         });
}
template <class T>
status rms_normalization_on_cuda<T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    const T *x = a.in<T>(0), *scale = a.in<T>(1);
    T* y = a.out<T>(0);
    return launch_rows_of<full_lanes<T>>(c, p.rows, p.length, is_aligned(x, y, scale),
                                         [&]<int W>(std::integral_constant<int, W>) {
                                             return rms_normalization_row<W, T>{x, scale, y, p.length, p.epsilon};
                                         });
}
template struct layer_normalization_on_cuda<float>;
template struct layer_normalization_on_cuda<float16>;
template struct layer_normalization_on_cuda<bfloat16>;
template struct rms_normalization_on_cuda<float>;
template struct rms_normalization_on_cuda<float16>;
template struct rms_normalization_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
