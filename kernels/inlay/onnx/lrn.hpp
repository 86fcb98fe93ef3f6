// LRN (since 1): y = x / (bias + alpha / size * s)^beta, s the sum of x^2 over the `size` channels around the element's
// own.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct lrn : standard {
    static constexpr std::string_view onnx_name = "LRN";
    static constexpr version_range versions{1, 13};
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.input(0).dims.rank >= 0 && n.input(0).dims.rank < 2)
            return no("the input needs a batch and a channel axis");
        if (n.integer("size", 0) < 1) return no("size must be positive");
        return same_shape(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct lrn_params {
    std::int64_t samples, channels, inner;
    std::int64_t below, above;  // channels of the window on either side of the element's own
    double alpha, beta, bias;   // alpha: already divided by size
    static constexpr lrn_params of(const node_view& n) {
        const shape& x = n.input(0).dims;
        const std::int64_t size = n.integer("size", 1);
        return {x[0],
                x[1],
                x.elements(2),
                std::min((size - 1) / 2, x[1]),
                std::min(size / 2, x[1]),
                n.real("alpha", 1e-4f) / static_cast<double>(size),
                n.real("beta", 0.75),
                n.real("bias", 1)};
    }
};
template <class T> struct kernel<op::lrn, device::reference, types<T>> : simple_kernel {
    using params = lrn_params;
    static constexpr params prepare(const node_view& n) { return lrn_params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using A = accumulator<T>;
        const T* x = a.in<T>(0);
        T* y = a.out<T>(0);
        stop_check ends(c);
        for (std::int64_t n = 0; n < p.samples; ++n, x += p.channels * p.inner)
            for (std::int64_t at = 0; at < p.channels; ++at)
                for (std::int64_t i = 0; i < p.inner; ++i) {
                    if (ends(p.below + p.above + 1)) return status::stopped;
                    A sum = 0;
                    for (std::int64_t k = std::max<std::int64_t>(at - p.below, 0);
                         k < std::min(at + p.above + 1, p.channels); ++k) {
                        const A v = static_cast<A>(x[k * p.inner + i]);
                        sum += v * v;
                    }
                    *y++ = static_cast<T>(
                        static_cast<A>(x[at * p.inner + i]) /
                        std::pow(static_cast<A>(p.bias) + static_cast<A>(p.alpha) * sum, static_cast<A>(p.beta)));
                }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
