// Device code of kernels/inlay/cuda/onnx/reduce.hpp.
#include "reduce.hpp"
#include <inlay/cuda/support/reduce.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class Fold, class T> struct fold_of_any_axes {  // a thread per output
    reduction_loops loops;
    std::int64_t count;
    const T* x;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t o) const {
        std::int64_t rest = o, first = 0;
        for (int i = loops.rank - 1; i >= 0; --i) {
            if (loops.loops[i].reduced) continue;
            first += rest % loops.loops[i].count * loops.loops[i].step;
            rest /= loops.loops[i].count;
        }
        Fold fold;
        loops.walk(true, loops.rank, [&](std::int64_t at) { fold.add(decltype(fold.sum)(widened(x[first + at]))); });
        y[o] = reduced_to<T>(fold.result(count));
    }
};
}  // namespace
template <class Op, class T>
status reduction_on_cuda<Op, T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    if (p.neighbours) return fold_middle<fold>(c, p.middle, a.in<T>(0), a.out<T>(0));
    return launch(c, p.loops.elements(false),
                  fold_of_any_axes<fold, T>{p.loops, p.loops.elements(true), a.in<T>(0), a.out<T>(0)});
}
#define INLAY_REDUCTION(name) \
    template struct reduction_on_cuda<op::name, float>; \
    template struct reduction_on_cuda<op::name, float16>; \
    template struct reduction_on_cuda<op::name, bfloat16>; \
    template struct reduction_on_cuda<op::name, std::int32_t>; \
    template struct reduction_on_cuda<op::name, std::int64_t>;
INLAY_REDUCTIONS(INLAY_REDUCTION)
#undef INLAY_REDUCTION
}  // namespace v1
}  // namespace inlay
