// Device code of kernels/inlay/cuda/onnx/arg.hpp.
#include "arg.hpp"
#include <inlay/cuda/support/best.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <bool Largest, class T> struct arg_row : best_of_row<Largest, T> {
    std::int64_t* y;
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, typename best_of_row<Largest, T>::total reduction) const {
        if (t.rank == 0) y[row] = reduction.index;
    }
};
template <bool Largest, class T> struct arg_column {
    const T* x;
    std::int64_t* y;
    std::int64_t length;
    divider inner;
    bool select_last;
    INLAY_ON_DEVICE void operator()(std::int64_t column) const {
        std::int64_t o = column;
        const std::int64_t i = inner.split(o), step = std::int64_t(inner.by);
        y[column] = best_of_column<Largest>(x + o * length * step + i, length, step, select_last);
    }
};
}  // namespace
template <class Op, class T>
status arg_on_cuda<Op, T>::run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
    const T* x = a.in<T>(0);
    auto* y = a.out<std::int64_t>(0);
    if (p.inner == 1)
        return launch_rows(c, p.outer, p.length, arg_row<Op::largest, T>{{x, p.length, p.select_last}, y});
    return launch(c, p.outer * p.inner, arg_column<Op::largest, T>{x, y, p.length, divider(p.inner), p.select_last});
}
#define INLAY_ARG(T) \
    template struct arg_on_cuda<op::arg_max, T>; \
    template struct arg_on_cuda<op::arg_min, T>;
INLAY_ARG_TYPES(INLAY_ARG)
#undef INLAY_ARG
}  // namespace v1
}  // namespace inlay
