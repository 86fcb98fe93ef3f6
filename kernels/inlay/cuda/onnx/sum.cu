// Device code of kernels/inlay/cuda/onnx/sum.hpp.
#include "sum.hpp"
#include <inlay/cuda/support/element_wise.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class Op, class T> struct joining_body {
    broadcast_walk<sum_params::most> walk;
    bool same;
    int inputs, by;  // by: what Mean divides the last sum by; else 0
    const T* x[sum_params::most];
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const auto at = walk.of(i);
        computed<T> total[W] = {};
        for (int k = 0; k < inputs; ++k) {
            const lanes<T, W> v = load_lanes<W>(x[k] + walk.offset(same ? 0 : k, at));
            for (int e = 0; e < W; ++e)
                total[e] = k == 0 ? widened(v.at[e]) : Op::template join<computed<T>>(total[e], widened(v.at[e]));
        }
        lanes<T, W> r;
        for (int e = 0; e < W; ++e) {
            if constexpr (std::is_same_v<Op, op::mean>)
                if (by) total[e] /= float(by);
            r.at[e] = narrowed<T>(total[e]);
        }
        store_lanes(y + i * W, r);
    }
};
}  // namespace
// 32 inputs at a time; later ones are combined with the result so far.
template <class Op, class T>
status joining_on_cuda<Op, T>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    T* y = a.out<T>(0);
    for (int first = 0; first < p.inputs;) {
        const int prior_count = first > 0, count = std::min(p.inputs - first, params::most - prior_count);
        const auto start = [&]<int W>(std::integral_constant<int, W>) noexcept {
            joining_body<W, Op, T> body{
                {p.loops, W}, p.same, prior_count + count, first + count == p.inputs ? p.inputs : 0, {y}, y};
            for (int k = 0; k < count; ++k) body.x[prior_count + k] = a.in<T>(first + k);
            return launch(c, p.loops.elements() / W, body);
        };
        constexpr int w = full_lanes<T>;
        bool wide = in_lanes(p.loops, w) && is_aligned(y);
        for (int k = 0; k < count; ++k)
            wide = wide && p.loops.along(p.operand(first + k)) == 1 && is_aligned(a.in<T>(first + k));
        const status s = wide ? start(std::integral_constant<int, w>{}) : start(std::integral_constant<int, 1>{});
        if (s != status::ok) return s;
        first += count;
    }
    return status::ok;
}
#define INLAY_JOINING(name, T) template struct joining_on_cuda<op::name, T>;
INLAY_JOINED(INLAY_JOINING)
#undef INLAY_JOINING
}  // namespace v1
}  // namespace inlay
