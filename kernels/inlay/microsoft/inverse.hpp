// Inverse (com.microsoft, since 1): Y X = 1 for every matrix X of a batch, by elimination with the largest pivot of
// each column. What has no inverse gives NaN.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct inverse : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "Inverse";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, double, float16>;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank >= 0 && x.rank < 2) return no("the input has no matrices");
        if (x.rank >= 2 && x[x.rank - 1] >= 0 && x[x.rank - 2] >= 0 && x[x.rank - 1] != x[x.rank - 2])
            return no("the matrices are not square");
        if (x.rank >= 2 && x[x.rank - 1] >= std::int64_t(1) << 24) return no("the matrices are too large");
        return same_shape(n, y);
    }
};
}  // namespace op

template <class T> struct kernel<op::inverse, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t count, n;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x.elements(0, x.rank - 2), x[x.rank - 1]};
    }
    static constexpr std::int64_t room(const params& p) { return 2 * p.n * p.n * 8; }  // [X, 1], which becomes [1, Y]
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, p.count > 0 ? threads * room(p) : 0};
    }
    static bool eliminate(double* m, std::int64_t n, stop_check& ends) noexcept {
        const std::int64_t width = 2 * n;
        for (std::int64_t column = 0; column < n; ++column) {
            std::int64_t best = column;
            for (std::int64_t r = column + 1; r < n; ++r)
                if (std::abs(m[r * width + column]) > std::abs(m[best * width + column])) best = r;
            double* pivot = m + column * width;
            if (best != column) std::swap_ranges(pivot, pivot + width, m + best * width);
            const double factor = 1 / pivot[column];
            if (!std::isfinite(factor)) {
                std::fill_n(m, n * width, std::numeric_limits<double>::quiet_NaN());
                return true;
            }
            for (std::int64_t k = 0; k < width; ++k) pivot[k] *= factor;
            for (std::int64_t r = 0; r < n; ++r) {
                if (ends(width)) return false;
                double* row = m + r * width;
                const double times = row[column];
                if (r == column || times == 0) continue;
                for (std::int64_t k = 0; k < width; ++k) row[k] -= times * pivot[k];
            }
        }
        return true;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t n = p.n, width = 2 * n;
        c.split(p.count, 1 + 4096 / (n * n * n + 1), [&](std::int64_t first, std::int64_t end, int part) {
            double* m = reinterpret_cast<double*>(c.scratch + part * room(p));
            stop_check ends(c);
            for (std::int64_t k = first; k < end; ++k) {
                const T* x = a.in<T>(0) + k * n * n;
                T* y = a.out<T>(0) + k * n * n;
                for (std::int64_t r = 0; r < n; ++r)
                    for (std::int64_t q = 0; q < n; ++q) {
                        m[r * width + q] = static_cast<double>(static_cast<accumulator<T>>(x[r * n + q]));
                        m[r * width + n + q] = r == q;
                    }
                if (!eliminate(m, n, ends)) return;
                for (std::int64_t r = 0; r < n; ++r)
                    for (std::int64_t q = 0; q < n; ++q)
                        y[r * n + q] = static_cast<T>(static_cast<accumulator<T>>(m[r * width + n + q]));
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
