// LpPool (since 1): (sum of |x|^p)^(1/p) of a window that moves over 1 to 3 spatial axes; padding adds nothing.
// GlobalLpPool (1): over all of them, however many. p is a real number above 0 in version 1, later an integer.
#pragma once
#include "pool.hpp"
#include <cmath>

namespace inlay {
inline namespace v1 {
struct lp_norm_of_windows {
    double p = 2;
    static constexpr double exponent(const node_view& n) {
        return n.version() == 1 ? n.real("p", 2) : static_cast<double>(n.integer("p", 2));
    }
    static constexpr verdict check(const node_view& n) {
        const double p = exponent(n);
        return p > 0 && p < std::numeric_limits<double>::infinity() ? yes() : no("p must be above 0");
    }
    double term(double x) const { return p == 2 ? x * x : p == 1 ? std::abs(x) : std::pow(std::abs(x), p); }
    double of(double sum) const { return p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p); }
};

namespace op {
struct lp_pool : standard {
    static constexpr std::string_view onnx_name = "LpPool";
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = lp_norm_of_windows::check(n); !v) return v;
        return pool_shapes(n, y);
    }
};
struct global_lp_pool : global_pool {
    static constexpr std::string_view onnx_name = "GlobalLpPool";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = lp_norm_of_windows::check(n); !v) return v;
        return global_pool::shapes(n, y);
    }
};
}  // namespace op

template <class T> struct kernel<op::lp_pool, device::reference, types<T>> : simple_kernel {
    struct params {
        pool_windows windows;
        lp_norm_of_windows norm;
    };
    static constexpr params prepare(const node_view& n) {
        return {pool_kernel::prepare(n), {lp_norm_of_windows::exponent(n)}};
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const pool_windows& w = p.windows;
        const T* x = args.in<T>(0);
        T* y = args.out<T>(0);
        stop_check ends(c);
        pool_kernel::over_windows(w, [&, work = pool_kernel::window_work(w)](std::int64_t output, std::int64_t plane,
                                                                             const auto&, auto window) {
            if (ends(work)) return false;
            double sum = 0;
            window([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                sum += p.norm.term(static_cast<double>(
                    static_cast<accumulator<T>>(x[plane + (i * w.axes[1].in + j) * w.axes[2].in + k])));
            });
            y[output] = static_cast<T>(static_cast<accumulator<T>>(p.norm.of(sum)));
            return true;
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <class T> struct kernel<op::global_lp_pool, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t planes, count;
        lp_norm_of_windows norm;
    };
    static constexpr params prepare(const node_view& n) {
        const auto pool = global_pool_kernel::prepare(n);
        return {pool.planes, pool.count, {lp_norm_of_windows::exponent(n)}};
    }
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        const T* x = args.in<T>(0);
        for (std::int64_t plane = 0; plane < p.planes; ++plane, x += p.count) {
            double sum = 0;
            for (std::int64_t i = 0; i < p.count; ++i)
                sum += p.norm.term(static_cast<double>(static_cast<accumulator<T>>(x[i])));
            args.out<T>(0)[plane] = static_cast<T>(static_cast<accumulator<T>>(p.norm.of(sum)));
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
