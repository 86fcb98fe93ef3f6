// LpNormalization (since 1): y = x / (sum of |x|), or x / sqrt(sum of x^2), along an axis, as `p` is 1 or 2; 0 where
// the divisor is 0.
#pragma once
#include <inlay/support/axis_lines.hpp>
#include <inlay/support/on_device.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
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
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct lp_norm {
    bool squares;
    INLAY_ON_DEVICE double term(double x) const { return squares ? x * x : std::abs(x); }
    INLAY_ON_DEVICE double of(double sum) const { return squares ? std::sqrt(sum) : sum; }
    INLAY_ON_DEVICE static double divided(double x, double norm) { return norm == 0 ? 0 : x / norm; }
};
struct lp_normalization_kernel : simple_kernel {
    struct params {
        axis_lines lines;
        lp_norm norm;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        return {axis_lines::of(n, normal_axis(n.integer("axis", -1), n.input(0).dims.rank)), {n.integer("p", 2) == 2}};
    }
};
template <class T> struct kernel<op::lp_normalization, device::reference, types<T>> : lp_normalization_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        p.lines.each_line<T>(a, [&](const T* x, T* y) {
            const std::int64_t step = p.lines.inner;
            const auto at = [&](std::int64_t k) {
                return static_cast<double>(static_cast<accumulator<T>>(x[k * step]));
            };
            double sum = 0;
            for (std::int64_t k = 0; k < p.lines.length; ++k) sum += p.norm.term(at(k));
            const double norm = p.norm.of(sum);
            for (std::int64_t k = 0; k < p.lines.length; ++k)
                y[k * step] = static_cast<T>(static_cast<accumulator<T>>(lp_norm::divided(at(k), norm)));
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
