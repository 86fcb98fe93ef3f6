// Device code of kernels/inlay/cuda/onnx/group_normalization.hpp.
#include "group_normalization.hpp"
#include <inlay/cuda/support/moments.cuh>
#include <inlay/cuda/support/rows.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct group_normalization_row {  // W divides the contiguous run of a group
    using total = moments;
    static constexpr int rounds = moments::rounds;
    const T *x, *scale, *shift;
    T* y;
    group_normalization_params p;
    bool channels_last;
    divider groups, run;  // groups of a sample; elements of a run: a channel's, or in channels last a pixel's
    std::int64_t step;    // from run to run
    template <class F>
    INLAY_ON_DEVICE void over_group(std::int64_t row, team t, F f)
        const {  // f(where the W elements lie, the channel of the first within the group)
        const std::int64_t count = p.channels * p.inner;
        std::int64_t sample = row;
        const std::int64_t group = groups.split(sample),
                           first = sample * p.groups * count + group * (channels_last ? p.channels : count);
        for (std::int64_t i = std::int64_t(t.rank) * W; i < count; i += std::int64_t(t.size) * W) {
            std::int64_t number = i;
            const std::int64_t rest = run.split(number);
            f(first + number * step + rest, channels_last ? rest : number);
        }
    }
    INLAY_ON_DEVICE total part(int round, std::int64_t row, team t, total before) const {
        return moments::part(round, t, before, p.channels * p.inner, [&](auto f) {
            over_group(row, t, [&](std::int64_t at, std::int64_t) {
                const lanes<T, W> v = load_lanes<W>(x + at);
                for (int k = 0; k < W; ++k) f(widened(v.at[k]));
            });
        });
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        const std::int64_t count = p.channels * p.inner;
        const double mean = reduction.mean(count), inverse = 1 / std::sqrt(reduction.variance(count) + p.epsilon);
        std::int64_t sample = row;
        const std::int64_t group = groups.split(sample), first = group * (p.per_group ? 1 : p.channels);
        over_group(row, t, [&](std::int64_t at, std::int64_t channel) {
            const lanes<T, W> v = load_lanes<W>(x + at);
            lanes<T, W> r;
            for (int k = 0; k < W; ++k) {
                const std::int64_t number = first + (p.per_group ? 0 : channels_last ? channel + k : channel);
                r.at[k] = narrowed<T>(float((double(widened(v.at[k])) - mean) * inverse) * widened(scale[number]) +
                                      widened(shift[number]));
            }
            store_lanes(y + at, r);
        });
    }
};
}  // namespace
template <class Op, class T>
status group_normalization_on_cuda<Op, T>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                               context& c) noexcept {
    const T *x = a.in<T>(0), *scale = a.in<T>(1), *shift = a.in<T>(2);
    T* y = a.out<T>(0);
    const std::int64_t side = p.channels_last ? p.channels : p.inner;
    constexpr int w = full_lanes<T>;
    return launch_rows_of<w>(c, p.samples * p.groups, p.channels * p.inner, side % w == 0 && is_aligned(x, y),
                             [&]<int W>(std::integral_constant<int, W>) {
                                 return group_normalization_row<W, T>{
                                     x,
                                     scale,
                                     shift,
                                     y,
                                     p,
                                     p.channels_last,
                                     divider(p.groups),
                                     divider(side),
                                     p.channels_last ? p.groups * p.channels : p.inner};
                             });
}
#define INLAY_NORMALIZATION(T) \
    template struct group_normalization_on_cuda<op::instance_normalization, T>; \
    template struct group_normalization_on_cuda<op::group_normalization, T>;
INLAY_NORMALIZATION(float)
INLAY_NORMALIZATION(float16)
INLAY_NORMALIZATION(bfloat16)
#undef INLAY_NORMALIZATION
}  // namespace v1
}  // namespace inlay
