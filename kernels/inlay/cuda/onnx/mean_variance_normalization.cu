// Device code of kernels/inlay/cuda/onnx/mean_variance_normalization.hpp.
#include "mean_variance_normalization.hpp"
#include <inlay/cuda/support/element_wise.cuh>
#include <inlay/cuda/support/moments.cuh>

namespace inlay {
inline namespace v1 {
namespace {
broadcast_loops<1> loops_of(const reduction_loops& loops, bool reduced) {
    broadcast_loops<1> subset;
    subset.operands = 1;
    for (int i = 0; i < loops.rank; ++i)
        if (loops.loops[i].reduced == reduced) {
            subset.count[subset.rank] = loops.loops[i].count;
            subset.step[0][subset.rank++] = loops.loops[i].step;
        }
    return subset;
}
template <class T> struct mean_variance_normalization_row {
    using total = moments;
    static constexpr int rounds = moments::rounds;
    broadcast_walk<1> row_walk, reduced;
    const T* x;
    T* y;
    std::int64_t length;
    template <class F> INLAY_ON_DEVICE void over(std::int64_t row, team t, F f) const {  // f(where the element lies)
        const std::int64_t first = row_walk.offset(0, row_walk.of(row));
        for (std::int64_t i = t.rank; i < length; i += t.size) f(first + reduced.offset(0, reduced.of(i)));
    }
    INLAY_ON_DEVICE total part(int round, std::int64_t row, team t, total before) const {
        return moments::part(round, t, before, length,
                             [&](auto f) { over(row, t, [&](std::int64_t at) { f(widened(x[at])); }); });
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        const double mean = reduction.mean(length),
                     by = mean_variance_normalization_kernel::deviation_of(reduction.variance(length));
        over(row, t, [&](std::int64_t at) { y[at] = narrowed<T>(float((double(widened(x[at])) - mean) / by)); });
    }
};
}  // namespace
template <class T>
status mean_variance_normalization_on_cuda<T>::run(const params& p, const state&, const arguments& a,
                                                   context& c) noexcept {
    const std::int64_t length = p.loops.elements(true);
    return launch_rows(
        c, p.loops.elements(false), length,
        mean_variance_normalization_row<T>{
            {loops_of(p.loops, false), 1}, {loops_of(p.loops, true), 1}, a.in<T>(0), a.out<T>(0), length});
}
template struct mean_variance_normalization_on_cuda<float>;
template struct mean_variance_normalization_on_cuda<float16>;
template struct mean_variance_normalization_on_cuda<bfloat16>;
}  // namespace v1
}  // namespace inlay
