// Det (since 11): the determinant of each matrix of [.., M, M], by elimination with the largest pivot, in double; 1 of
// empty matrices.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>
#include <utility>

namespace inlay {
inline namespace v1 {
namespace op {
struct det : standard {
    static constexpr std::string_view onnx_name = "Det";
    static constexpr version_range versions{11, 22};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank < 2) return no("the input has fewer than two axes");
        const std::int64_t rows = x[x.rank - 2], columns = x[x.rank - 1];
        if (rows >= 0 && columns >= 0 && rows != columns) return no("the matrices are not square");
        y[0] = x;
        y[0].rank -= 2;
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::det, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t matrices, size;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x.elements(0, x.rank - 2), x[x.rank - 1]};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, p.size * p.size * std::int64_t(sizeof(double)) * std::min<std::int64_t>(threads, p.matrices)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t area = p.size * p.size;
        std::atomic<bool> is_stopped = false;
        c.split(p.matrices, 1 + (1 << 14) / (1 + area * p.size / 3),
                [&](std::int64_t first, std::int64_t end, int part) {
                    double* m = reinterpret_cast<double*>(c.scratch) + part * area;
                    stop_check stop(c);
                    for (std::int64_t i = first; i < end && !is_stopped; ++i) {
                        for (std::int64_t k = 0; k < area; ++k) m[k] = static_cast<double>(a.in<T>(0)[i * area + k]);
                        double product = 1;
                        for (std::int64_t k = 0; k < p.size && product != 0; ++k) {
                            if (stop((p.size - k) * (p.size - k))) {
                                is_stopped = true;
                                return;
                            }
                            product *= eliminate(m, k, p.size);
                        }
                        a.out<T>(0)[i] = static_cast<T>(product);
                    }
                });
        return is_stopped ? c.end_of_run() : status::ok;
    }

  private:
    // Clears column k below the diagonal; returns the pivot, negative where rows were exchanged. NaN is the largest.
    static double eliminate(double* m, std::int64_t k, std::int64_t size) {
        std::int64_t best = k;
        for (std::int64_t i = k + 1; i < size; ++i)
            if (!(std::abs(m[i * size + k]) <= std::abs(m[best * size + k])) && !std::isnan(m[best * size + k]))
                best = i;
        for (std::int64_t j = k; j < size && best != k; ++j) std::swap(m[k * size + j], m[best * size + j]);
        const double pivot = m[k * size + k];
        if (pivot == 0) return 0;
        for (std::int64_t i = k + 1; i < size; ++i) {
            const double by = m[i * size + k] / pivot;
            for (std::int64_t j = k + 1; j < size; ++j) m[i * size + j] -= by * m[k * size + j];
        }
        return best == k ? pivot : -pivot;
    }
};
}  // namespace v1
}  // namespace inlay
