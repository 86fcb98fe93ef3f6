// What the threads of kernels/cuda/arg.hpp do.
#include "arg.hpp"
#include "rows.cuh"

namespace inlay::inline v1 {
namespace {
template <bool Largest, class T> struct arg_row {
    struct total {
        computed<T> best{};
        std::int64_t index = -1;  // none yet
        bool last = false;
        INLAY_ON_DEVICE static total join(total a, total b) {
            if (a.index < 0 || (b.index >= 0 && b.index < a.index)) { const total t = a; a = b; b = t; }
            return b.index >= 0 && takes_over<Largest>(b.best, a.best, a.last) ? b : a;
        }
    };
    static constexpr int rounds = 1;
    const T* x;
    std::int64_t* y;
    std::int64_t length;
    bool last;
    INLAY_ON_DEVICE total part(int, std::int64_t row, team t, total own) const {
        over_row<1>(x + row * length, length, t, [&](std::int64_t k, const lanes<T, 1>& v) {
            const computed<T> e = widened(v.at[0]);
            if (own.index < 0 || takes_over<Largest>(e, own.best, last)) own = {e, k, last};
        });
        return own;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total all) const { if (t.rank == 0) y[row] = all.index; }
};
template <bool Largest, class T> struct arg_column {
    const T* x;
    std::int64_t* y;
    std::int64_t length;
    divider inner;
    bool last;
    INLAY_ON_DEVICE void operator()(std::int64_t column) const {
        std::int64_t o = column, found = 0;
        const std::int64_t i = inner.split(o), step = std::int64_t(inner.by);
        const T* first = x + o * length * step + i;
        computed<T> best = widened(*first);
        for (std::int64_t k = 1; k < length; ++k)
            if (const computed<T> e = widened(first[k * step]); takes_over<Largest>(e, best, last)) { best = e; found = k; }
        y[column] = found;
    }
};
}  // namespace
template <class Op, class T> status arg_on_cuda<Op, T>::run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
    const T* x = a.in<T>(0);
    auto* y = a.out<std::int64_t>(0);
    if (p.inner == 1) return launch_rows(c, p.outer, p.length, arg_row<Op::largest, T>{x, y, p.length, p.last});
    return launch(c, p.outer * p.inner, arg_column<Op::largest, T>{x, y, p.length, divider(p.inner), p.last});
}
#define INLAY_ARG(T) template struct arg_on_cuda<op::arg_max, T>; template struct arg_on_cuda<op::arg_min, T>;
INLAY_ARG_TYPES(INLAY_ARG)
#undef INLAY_ARG
}  // namespace inlay::inline v1
