// MatMul (since 1): the matrix multiplication of the last two axes, the others broadcast, as numpy.matmul; an operand
// of one axis is a row or a column. inlay.FusedMatMul (1): activation(A B + C + Z), C one number per column, Z of the
// result's shape; both optional.
#pragma once
#include "gemm.hpp"
#include <inlay/support/activation.hpp>
#include <inlay/support/presence.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct matmul : standard {
    static constexpr std::string_view onnx_name = "MatMul";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = gemm::elements;
    static constexpr operator_facts facts{.keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, 1, y); }
    static constexpr verdict shapes_of(const node_view& n, int second,
                                       std::span<shape> y) noexcept {  // second: the input that B is
        if (!n.has_input(0) || !n.has_input(second)) return no("an input is missing");
        return shapes_of(n.input(0).dims, n.input(second).dims, y);
    }
    static constexpr verdict shapes_of(shape a, shape b, std::span<shape> y) noexcept {
        if (a.rank == 0 || b.rank == 0) return no("an operand has no axes");
        if (a.rank < 0 || b.rank < 0) return yes();
        const bool row = a.rank == 1, column = b.rank == 1;
        const std::int64_t k = a[a.rank - 1], l = column ? b[0] : b[b.rank - 2];
        if (k >= 0 && l >= 0 && k != l) return no("the operands disagree on the axis that is summed over");
        const std::int64_t rows = row ? 1 : a[a.rank - 2], columns = column ? 1 : b[b.rank - 1];
        a.rank = row ? 0 : a.rank - 2;
        b.rank = column ? 0 : b.rank - 2;
        shape result;
        if (!broadcast(a, b, result)) return no("the operands' leading axes do not broadcast");
        if (!row) result.push_back(rows);
        if (!column) result.push_back(columns);
        y[0] = result;
        return countable(result) ? yes() : no("the output is too large");
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
struct fused_matmul : matmul {
    static constexpr std::string_view onnx_name = "FusedMatMul", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = matmul::shapes(n, y); !v || !y[0].known()) return v;
        if (y[0].rank < 2) return no("the operands of a fused product must be matrices");
        if (n.has_input(2) && n.input(2).dims.known() &&
            (n.input(2).dims.rank < 1 || n.input(2).dims.elements() != y[0][y[0].rank - 1]))
            return no("C must have one element per column");
        if (n.has_input(3) && n.input(3).dims.known() && n.input(3).dims != y[0])
            return no("Z has another shape than the result");
        return yes();
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
// A number of equal matmuls. Those of the leading axes are numbered in the output's order; each operand has a step per
// axis, 0 where it repeats.
struct matmul_params {
    std::int64_t m = 1, n = 1, k = 0, batches = 1;
    shape batch{};
    std::array<std::int64_t, max_rank> a_step{}, b_step{};  // in matrices
    static constexpr matmul_params of(const node_view& v, int second = 1) {
        return of(v.input(0).dims, v.input(second).dims, v.output(0).dims);
    }
    static constexpr matmul_params of(const shape& a, const shape& b, const shape& y) {
        matmul_params p;
        const bool row = a.rank == 1, column = b.rank == 1;
        p.m = row ? 1 : a[a.rank - 2];
        p.n = column ? 1 : b[b.rank - 1];
        p.k = a[a.rank - 1];
        p.batch = y;
        p.batch.rank = y.rank - !row - !column;
        p.batches = y.elements(0, p.batch.rank);
        const auto steps = [&](const shape& s, int rank, auto& step) {
            std::int64_t size = 1;
            for (int i = 1; i <= rank; ++i) {
                step[p.batch.rank - i] = s[rank - i] == 1 ? 0 : size;
                size *= s[rank - i];
            }
        };
        steps(a, row ? 0 : a.rank - 2, p.a_step);
        steps(b, column ? 0 : b.rank - 2, p.b_step);
        return p;
    }
    struct pair {
        std::int64_t a, b;
    };
    constexpr pair matrices(std::int64_t index) const {  // the operands of matmul `index`
        pair at{};
        for (int i = batch.rank - 1; i >= 0; --i) {
            at.a += index % batch[i] * a_step[i];
            at.b += index % batch[i] * b_step[i];
            index /= batch[i];
        }
        return at;
    }
};
// put(element of the result, its column, sum) for all matmuls.
template <class T, class F>
void multiply_matrices(const matmul_params& p, const T* a, const T* b, context& c, F put) noexcept {
    c.split(p.batches, 1, [&](std::int64_t first, std::int64_t end, int) {
        stop_check ends(c);
        for (std::int64_t i = first; i < end; ++i) {
            const auto at = p.matrices(i);
            multiply_plainly(a + at.a * p.m * p.k, p.k, std::int64_t(1), b + at.b * p.k * p.n, p.n, std::int64_t(1),
                             p.m, p.n, p.k, ends, [&](std::int64_t row, std::int64_t column, auto sum) {
                                 put((i * p.m + row) * p.n + column, column, sum);
                             });
        }
    });
}
template <class T> struct kernel<op::matmul, device::reference, types<T>> : simple_kernel {
    using params = matmul_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        multiply_matrices(p, a.in<T>(0), a.in<T>(1), c,
                          [&](std::int64_t at, std::int64_t, auto sum) { a.out<T>(0)[at] = static_cast<T>(sum); });
        return c.stopped() ? status::stopped : status::ok;
    }
};
// The checks of a shape rule, where the shapes are those of the nodes that were fused.
constexpr verdict fused_matmul_fits(const node_view& n) {
    shape y;
    const verdict v = op::fused_matmul::shapes(n, std::span(&y, 1));
    return !v || y == n.output(0).dims ? v : no("the result has another shape than the product");
}
template <class T> struct kernel<op::fused_matmul, device::reference, types<T>> : simple_kernel {
    struct params {
        matmul_params product;
        presence has;
        plain_activation activation;
    };
    static constexpr verdict supports(const node_view& n) {
        plain_activation activation;
        return plain_activation::read(n, activation) ? fused_matmul_fits(n) : no("the activation is unknown");
    }
    static constexpr params prepare(const node_view& n) {
        params p{matmul_params::of(n), presence(n), {}};
        plain_activation::read(n, p.activation);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const T *const per_column = p.has.template in<T>(a, 2), *const addend = p.has.template in<T>(a, 3);
        multiply_matrices(p.product, a.in<T>(0), a.in<T>(1), c, [&](std::int64_t at, std::int64_t column, float sum) {
            if (per_column) sum += static_cast<float>(per_column[column]);
            if (addend) sum += static_cast<float>(addend[at]);
            a.out<T>(0)[at] = static_cast<T>(p.activation(sum));
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
