// MatMulInteger (since 10): the matmul of 8-bit integers less their zero points; accumulators are int32 and wrap
// around. The zero points of an operand are one number, one per row of A or column of B, or one per row or column of
// each of its matrices. inlay.FusedMatMulInteger (1): S MatMulInteger(A, B, zero points) + C in float32, S one number
// or one per column, C one per column or absent.
#pragma once
#include "matmul.hpp"
#include <inlay/support/line_values.hpp>

namespace inlay {
inline namespace v1 {
struct zero_points : line_values {  // of input 0 or 1, in input 2 or 3
    bool present = false;
    static constexpr bool read(const node_view& n, int k, zero_points& z) {  // false where the shapes do not fit
        z.present = n.has_input(2 + k);
        return !z.present || line_values::read(n.input(k).dims, n.input(2 + k).dims, 2 - k, z);
    }
    template <class T> T of(const arguments& a, int k, std::int64_t matrix, std::int64_t line) const {
        return present ? a.in<T>(2 + k)[at(matrix, line)] : T(0);
    }
};
namespace op {
struct matmul_integer : matmul {
    static constexpr std::string_view onnx_name = "MatMulInteger";
    static constexpr version_range versions{10, 10};
    static constexpr std::array constraints{v1::input(0), v1::input(1), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<std::uint8_t, std::uint8_t, std::int32_t>, types<std::uint8_t, std::int8_t, std::int32_t>,
                      types<std::int8_t, std::uint8_t, std::int32_t>, types<std::int8_t, std::int8_t, std::int32_t>>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = matmul::shapes(n, y); !v) return v;
        for (int k : {0, 1}) {
            if (zero_points z; !zero_points::read(n, k, z))
                return no(k ? "B's zero points are neither one nor one per column"
                            : "A's zero points are neither one nor one per row");
            if (n.has_input(2 + k) && n.input(2 + k).type != n.input(k).type)
                return no("zero points are of another type than what they belong to");
        }
        return yes();
    }
};
struct fused_matmul_integer : matmul_integer {
    static constexpr std::string_view onnx_name = "FusedMatMulInteger", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements =
        hana::tuple_t<types<std::uint8_t, std::uint8_t, float>, types<std::uint8_t, std::int8_t, float>,
                      types<std::int8_t, std::uint8_t, float>, types<std::int8_t, std::int8_t, float>>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = matmul_integer::shapes(n, y); !v) return v;
        if (!n.has_input(4) || n.input(4).type != element::f32 || (n.has_input(5) && n.input(5).type != element::f32))
            return no("S is missing, or S or C is not of floats");
        if (!y[0].known()) return yes();
        if (y[0].rank < 2) return no("the operands of a fused product must be matrices");
        const std::int64_t columns = y[0][y[0].rank - 1];
        if (n.input(4).dims.known() && n.input(4).dims.elements() != 1 && n.input(4).dims.elements() != columns)
            return no("S must be one number or one per column");
        if (n.has_input(5) && n.input(5).dims.known() && n.input(5).dims.elements() != columns)
            return no("C must have one element per column");
        return yes();
    }
};
}  // namespace op

struct matmul_integer_params : matmul_params {
    zero_points a_zero{}, b_zero{};
    bool per_column = false, has_c = false;  // of a fused node: S, and whether there is C
    static constexpr matmul_integer_params of(const node_view& n) {
        matmul_integer_params p{matmul_params::of(n)};
        zero_points::read(n, 0, p.a_zero);
        zero_points::read(n, 1, p.b_zero);
        p.per_column = n.has_input(4) && n.input(4).dims.elements() != 1;
        p.has_c = n.has_input(5);
        return p;
    }
};
// The checks of a shape rule, where the shapes are those of the nodes that were fused.
constexpr verdict fused_matmul_integer_fits(const node_view& n) {
    shape y;
    const verdict v = op::fused_matmul_integer::shapes(n, std::span(&y, 1));
    return !v || y == n.output(0).dims ? v : no("the result has another shape than the product");
}
// put(element of the result, its column, sum) for all matmuls.
template <class A, class B, class F>
void multiply_integers(const matmul_integer_params& p, const arguments& a, context& c, F put) noexcept {
    c.split(p.batches * p.m, 1, [&](std::int64_t begin, std::int64_t end, int) {
        stop_check ends(c);
        for (std::int64_t line = begin; line < end; ++line) {
            const auto at = p.matrices(line / p.m);
            const std::int64_t row = line % p.m;
            const A* const x = a.in<A>(0) + (at.a * p.m + row) * p.k;
            const B* const w = a.in<B>(1) + at.b * p.k * p.n;
            const int zero = p.a_zero.of<A>(a, 0, at.a, row),
                      b_zero = p.b_zero.per_line ? 0 : p.b_zero.of<B>(a, 1, at.b, 0);
            if (!multiply_row<std::uint32_t>(
                    p.n, p.k, ends, [&](std::int64_t k) { return static_cast<std::uint32_t>(x[k] - zero); },
                    [&](std::int64_t k, std::int64_t j) {
                        return w[k * p.n + j] - (p.b_zero.per_line ? p.b_zero.of<B>(a, 1, at.b, j) : b_zero);
                    },
                    [&](std::int64_t j, std::uint32_t sum) { put(line * p.n + j, j, static_cast<std::int32_t>(sum)); }))
                return;
        }
    });
}
template <class A, class B>
struct kernel<op::matmul_integer, device::reference, types<A, B, std::int32_t>> : simple_kernel {
    using params = matmul_integer_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        multiply_integers<A, B>(
            p, a, c, [&](std::int64_t at, std::int64_t, std::int32_t sum) { a.out<std::int32_t>(0)[at] = sum; });
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <class A, class B>
struct kernel<op::fused_matmul_integer, device::reference, types<A, B, float>> : simple_kernel {
    using params = matmul_integer_params;
    static constexpr verdict supports(const node_view& n) { return fused_matmul_integer_fits(n); }
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const float *const scale = a.in<float>(4), *const addend = p.has_c ? a.in<float>(5) : nullptr;
        multiply_integers<A, B>(p, a, c, [&](std::int64_t at, std::int64_t column, std::int32_t sum) {
            const float scaled = static_cast<float>(sum) * scale[p.per_column ? column : 0];
            a.out<float>(0)[at] = addend ? scaled + addend[column] : scaled;
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
