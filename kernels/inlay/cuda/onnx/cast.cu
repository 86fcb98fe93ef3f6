// Device code of kernels/inlay/cuda/onnx/cast.hpp.
#include "cast.hpp"
#include <inlay/cuda/support/launch.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class To, class X> INLAY_ON_DEVICE To converted(X x, const casting::rules& rules) {
    if constexpr (is_small_float<X>)
        return To(widened(x));  // to float, which holds it
    else if constexpr (is_small_float<To>)
        return narrowed<To>(x);
    else
        return casting::narrow<To>(casting::widen(x), rules);
}
// X: a truth value is a byte that may be neither 0 nor 1.
template <int W, class X, class To, bool Truth> struct cast_body {
    const X* x;
    To* y;
    std::int64_t full;  // packs; single elements follow
    casting::rules conversion;
    INLAY_ON_DEVICE To one(X v) const {
        if constexpr (Truth)
            return converted<To>(v != 0, conversion);
        else
            return converted<To>(v, conversion);
    }
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        if (i < full) {
            const auto v = load_lanes<W>(x + i * W);
            lanes<To, W> r;
            for (int k = 0; k < W; ++k) r.at[k] = one(v.at[k]);
            store_lanes(y + i * W, r);
        } else
            y[i + full * (W - 1)] = one(x[i + full * (W - 1)]);
    }
};
}  // namespace
template <class From, class To>
status cast_on_cuda<From, To>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    constexpr bool truth = std::is_same_v<From, bool>;
    using X = std::conditional_t<truth, std::uint8_t, From>;
    constexpr int w = full_lanes<X, To>;
    const X* x = a.in<X>(0);
    To* y = a.out<To>(0);
    const std::int64_t full = is_aligned(x, y) ? p.count / w : 0;
    return launch(c, full + (p.count - full * w), cast_body<w, X, To, truth>{x, y, full, p.conversion});
}
#define INLAY_CAST(From, To) template struct cast_on_cuda<From, To>;
INLAY_CAST_PAIRS(INLAY_CAST)
#undef INLAY_CAST
}  // namespace v1
}  // namespace inlay
