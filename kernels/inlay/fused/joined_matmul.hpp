// inlay.JoinedMatMul (1): Y_i = A B_i + C_i for up to four matrices B_i, such as the weights of Q, K and V. Only the
// passes write it.
//   Inputs: A, then B_i and C_i (one number per column; may be absent) for each i. Outputs: Y_i.
#pragma once
#include <inlay/onnx/gemm.hpp>
#include <inlay/support/presence.hpp>

namespace inlay {
inline namespace v1 {
struct joined_matmul_params {
    static constexpr int most = 4;
    int count = 0;
    std::int64_t m = 1, k = 0;
    std::array<std::int64_t, most> n{};
    presence has{};
    static constexpr int b(int i) { return 1 + 2 * i; }
    static constexpr int c(int i) { return 2 + 2 * i; }

    static constexpr joined_matmul_params of(const node_view& v) {
        joined_matmul_params p;
        const shape& a = v.input(0).dims;
        p.count = v.output_count();
        p.m = a.elements(0, a.rank - 1);
        p.k = a[a.rank - 1];
        for (int i = 0; i < p.count; ++i) p.n[i] = v.output(i).dims[a.rank - 1];
        p.has = presence(v);
        return p;
    }
};

namespace op {
struct joined_matmul : standard {
    static constexpr std::string_view onnx_name = "JoinedMatMul", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        using p = joined_matmul_params;
        if (n.output_count() < 1 || n.output_count() > p::most) return no("there must be one to four products");
        const shape& a = n.input(0).dims;
        if (a.rank >= 0 && a.rank < 2) return no("A has too few axes");
        for (int i = 0; i < n.output_count(); ++i) {
            if (!n.has_input(p::b(i)) || !n.has_output(i)) return no("a matrix or a result is missing");
            const shape& b = n.input(p::b(i)).dims;
            if (a.rank < 0 || b.rank < 0) continue;
            if (b.rank != 2) return no("B must be matrices");
            if (a[a.rank - 1] >= 0 && b[0] >= 0 && a[a.rank - 1] != b[0])
                return no("the operands disagree on the axis that is summed over");
            if (n.has_input(p::c(i)) && n.input(p::c(i)).dims.known() && b[1] >= 0 &&
                (n.input(p::c(i)).dims.rank < 1 || n.input(p::c(i)).dims.elements() != b[1]))
                return no("C must have one element per column");
            y[i] = a;
            y[i][a.rank - 1] = b[1];
            if (!countable(y[i])) return no("an output is too large");
        }
        return yes();
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

struct joined_matmul_kernel : simple_kernel {
    static constexpr verdict supports(const node_view& n) {  // what the shape rule would refuse, where the shapes are
                                                             // those of the nodes that were joined
        std::array<shape, joined_matmul_params::most> y;
        if (const verdict v = op::joined_matmul::shapes(n, y); !v) return v;
        for (int i = 0; i < n.output_count(); ++i)
            if (y[i] != n.output(i).dims) return no("a result has another shape than its product");
        return yes();
    }
};
template <class T> struct kernel<op::joined_matmul, device::reference, types<T>> : joined_matmul_kernel {
    using params = joined_matmul_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        stop_check ends(c);
        for (int i = 0; i < p.count; ++i) {
            const T* const per_column = p.has.in<T>(a, p.c(i));
            T* const y = a.out<T>(i);
            multiply_plainly(a.in<T>(0), p.k, std::int64_t(1), a.in<T>(p.b(i)), p.n[i], std::int64_t(1), p.m, p.n[i],
                             p.k, ends, [&](std::int64_t row, std::int64_t column, auto sum) {
                                 y[row * p.n[i] + column] =
                                     static_cast<T>(static_cast<float>(sum) +
                                                    (per_column ? static_cast<float>(per_column[column]) : 0.f));
                             });
        }
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
