// Gemm (since 1): Y = alpha A' B' + beta C, with A' and B' transposed on demand and C broadcast to Y (before version 7:
// if `broadcast` says so).
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct gemm : standard {
    static constexpr std::string_view onnx_name = "Gemm";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
    static constexpr operator_facts facts{.keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("A or B is missing");
        const shape &a = n.input(0).dims, &b = n.input(1).dims;
        if (a.rank < 0 || b.rank < 0) return yes();
        if (a.rank != 2 || b.rank != 2) return no("A and B must be matrices");
        const int by_row = n.integer("transA", 0) != 0, by_column = n.integer("transB", 0) != 0;
        const std::int64_t rows = a[by_row], columns = b[1 - by_column], k = a[1 - by_row], l = b[by_column];
        if (k >= 0 && l >= 0 && k != l) return no("A and B disagree on K");
        if (n.has_input(2)) {
            const shape& c = n.input(2).dims;
            if (c.rank > 2) return no("C has more than two axes");
            const bool exact = n.version() < 7 && n.integer("broadcast", 0) == 0;
            if (exact && (c.rank == 0 || c.rank == 1)) return no("C must be a matrix without `broadcast`");
            for (int i = 1; i <= c.rank; ++i) {
                const std::int64_t length = c[c.rank - i], target = i == 1 ? columns : rows;
                if (length >= 0 && target >= 0 && length != target && (exact || length != 1))
                    return no("C does not broadcast to the result's shape");
            }
        } else if (n.version() < 11)
            return no("C is missing");
        y[0] = {rows, columns};
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) {
        const shape a = s.input(0);
        return a.rank == 2 && a.known() ? 2 * count_of(s.output(0)) * double(a[n.integer("transA", 0) != 0 ? 0 : 1])
                                        : 0;
    }
};
struct fused_gemm : gemm {  // Gemm's inputs and attributes, then `activation` with `activation_params`
    static constexpr std::string_view onnx_name = "FusedGemm", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        node record = n.record;
        record.version = gemm::versions.through;
        return gemm::shapes({n.graph, record, n.layouts}, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
// Matmul accumulation: integers wrap around, as unsigned numbers do.
template <class T> struct sum_of { using type = accumulator<T>; };
template <std::integral T> struct sum_of<T> { using type = std::make_unsigned_t<accumulator<T>>; };

// put(j, sum) for every element of a row of a matmul, the sum over k of a(k) b(k, j); false where the run is stopped
// early.
template <class Sum, class A, class B, class F>
bool multiply_row(std::int64_t columns, std::int64_t depth, stop_check& ends, A a, B b, F put) {
    constexpr std::int64_t block = 32;  // columns accumulated in one pass over the row of A
    for (std::int64_t first = 0; first < columns; first += block) {
        if (ends(block * depth)) return false;
        const std::int64_t count = std::min(block, columns - first);
        Sum sums[block] = {};
        for (std::int64_t k = 0; k < depth; ++k) {
            const Sum x = a(k);
            for (std::int64_t j = 0; j < count; ++j) sums[j] += x * static_cast<Sum>(b(k, first + j));
        }
        for (std::int64_t j = 0; j < count; ++j) put(first + j, sums[j]);
    }
    return true;
}
// put(i, j, sum) for every element of a matmul, whose strides are given in elements.
template <class T, class F>
void multiply_plainly(const T* a, std::int64_t a_row, std::int64_t a_column, const T* b, std::int64_t b_row,
                      std::int64_t b_column, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                      stop_check& ends, F put) {
    using sum = typename sum_of<T>::type;
    for (std::int64_t i = 0; i < rows; ++i)
        if (!multiply_row<sum>(
                columns, depth, ends, [&](std::int64_t k) { return static_cast<sum>(a[i * a_row + k * a_column]); },
                [&](std::int64_t k, std::int64_t j) { return b[k * b_row + j * b_column]; },
                [&](std::int64_t j, sum accumulator) { put(i, j, accumulator); }))
            return;
}

struct gemm_params {
    std::int64_t m = 0, n = 0, k = 0;
    bool trans_a = false, trans_b = false, has_c = false;
    std::int64_t c_row = 0, c_column = 0;  // C's steps; 0 where it repeats
    double alpha = 1, beta = 1;
    static constexpr gemm_params of(const node_view& n) {
        gemm_params p;
        p.trans_a = n.integer("transA", 0) != 0;
        p.trans_b = n.integer("transB", 0) != 0;
        p.m = n.output(0).dims[0];
        p.n = n.output(0).dims[1];
        p.k = n.input(0).dims[p.trans_a ? 0 : 1];
        p.alpha = n.real("alpha", 1);
        p.beta = n.real("beta", 1);
        p.has_c = n.has_input(2) && p.beta != 0;
        if (p.has_c) {
            const shape& c = n.input(2).dims;
            const std::int64_t columns = c.rank > 0 ? c[c.rank - 1] : 1, rows = c.rank > 1 ? c[0] : 1;
            p.c_column = columns > 1;
            p.c_row = rows > 1 ? columns : 0;
        }
        return p;
    }
};
template <class T> struct kernel<op::gemm, device::reference, types<T>> : simple_kernel {
    using params = gemm_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& x) noexcept {
        const T* const c = p.has_c ? a.in<T>(2) : nullptr;
        const auto rows = [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(x);
            multiply_plainly(a.in<T>(0) + first * (p.trans_a ? 1 : p.k), p.trans_a ? 1 : p.k, p.trans_a ? p.m : 1,
                             a.in<T>(1), p.trans_b ? 1 : p.n, p.trans_b ? p.k : 1, end - first, p.n, p.k, ends,
                             [&](std::int64_t i, std::int64_t j, auto sum) {
                                 i += first;
                                 T& y = a.out<T>(0)[i * p.n + j];
                                 const T addend = p.has_c ? c[i * p.c_row + j * p.c_column] : T(0);
                                 if constexpr (std::is_integral_v<T>) {
                                     if (p.alpha == 1 && (p.beta == 1 || !p.has_c))
                                         y = static_cast<T>(sum + static_cast<decltype(sum)>(addend));
                                     else
                                         y = rounded(static_cast<double>(static_cast<T>(sum)) * p.alpha +
                                                     static_cast<double>(addend) * p.beta);
                                 } else {
                                     const auto scaled = static_cast<accumulator<T>>(p.alpha) * sum;
                                     y = static_cast<T>(p.has_c ? scaled + static_cast<accumulator<T>>(p.beta) *
                                                                               static_cast<accumulator<T>>(addend)
                                                                : scaled);
                                 }
                             });
        };
        x.split(p.m, 1, rows);
        return x.stopped() ? status::stopped : status::ok;
    }

  private:
    static T rounded(double x) {  // towards zero, as ONNX casts; the nearest number where T has none
        using limits = std::numeric_limits<T>;
        return !(x > static_cast<double>(limits::lowest())) ? limits::lowest()
               : x >= static_cast<double>(limits::max())    ? limits::max()
                                                            : static_cast<T>(x);
    }
};
}  // namespace v1
}  // namespace inlay
