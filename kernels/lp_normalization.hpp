// LpNormalization (since 1): y = x / (sum of |x|), or x / sqrt(sum of x^2), along an axis, as `p` is 1 or 2; 0 where the divisor is 0.
#pragma once
#include <inlay/operator.hpp>
#include <cmath>

namespace inlay::inline v1::op {
struct lp_normalization : standard {
    static constexpr std::string_view onnx_name = "LpNormalization";
    static constexpr version_range versions{1, 22};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const std::int64_t p = n.integer("p", 2);
        if (p != 1 && p != 2) return no("p must be 1 or 2");
        const int rank = n.input(0).dims.rank;
        if (rank >= 0 && normal_axis(n.integer("axis", -1), rank) < 0) return no("axis is out of range");
        return same_shape(n, y);
    }
};
}  // namespace inlay::inline v1::op

namespace inlay::inline v1 {
template <class T> struct kernel<op::lp_normalization, device::reference, types<T>> : simple_kernel {
    struct params { std::int64_t outer, length, inner; bool squares; };  // element (o, k, i) at (o * length + k) * inner + i
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = normal_axis(n.integer("axis", -1), x.rank);
        return {x.elements(0, axis), x[axis], x.elements(axis + 1), n.integer("p", 2) == 2};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        for (std::int64_t o = 0; o < p.outer; ++o) for (std::int64_t i = 0; i < p.inner; ++i) {
            const T* x = a.in<T>(0) + o * p.length * p.inner + i;
            T* y = a.out<T>(0) + o * p.length * p.inner + i;
            const auto at = [&](std::int64_t k) { return static_cast<double>(static_cast<accumulator<T>>(x[k * p.inner])); };
            double sum = 0;
            for (std::int64_t k = 0; k < p.length; ++k) sum += p.squares ? at(k) * at(k) : std::abs(at(k));
            const double norm = p.squares ? std::sqrt(sum) : sum;
            for (std::int64_t k = 0; k < p.length; ++k) y[k * p.inner] = static_cast<T>(static_cast<accumulator<T>>(norm == 0 ? 0 : at(k) / norm));
        }
        return status::ok;
    }
};
}  // namespace inlay::inline v1
