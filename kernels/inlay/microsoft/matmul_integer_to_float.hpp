// Of com.microsoft, since 1: MatMulIntegerToFloat: the matmul of 8-bit quantized values, (value - zero point) * scale,
// in float32, + bias; A has one scale and zero point or one per column of A, B one or one per column of B. Inputs: A,
// B, their scales, their zero points, bias. DynamicQuantizeMatMul: the same of float32 A, quantized as
// DynamicQuantizeLinear does. Inputs: A, B, scale and zero point of B, bias.
#pragma once
#include <inlay/onnx/dynamic_quantize_linear.hpp>
#include <inlay/onnx/matmul.hpp>
#include <inlay/support/line_values.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
struct scaled_columns {  // of B: the values in input k, or none
    static constexpr verdict check(const node_view& n, int k) {
        line_values v;
        if (!n.has_input(k) || line_values::read(n.input(1).dims, n.input(k).dims, 1, v)) return yes();
        return no("B's scales and zero points must be one number, or one per column");
    }
    static constexpr line_values of(const node_view& n, int k) {
        line_values v;
        if (n.has_input(k)) line_values::read(n.input(1).dims, n.input(k).dims, 1, v);
        return v;
    }
};
namespace op {
struct matmul_integer_to_float : matmul {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MatMulIntegerToFloat";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1), v1::input(2)};
    static constexpr auto elements =
        hana::tuple_t<types<quantized::byte, quantized::byte, float>, types<quantized::byte, quantized::byte, float16>>;
    static constexpr int required_inputs = 4;
    static constexpr operator_facts facts{};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 4; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input_count() > 7) return no("there are too many inputs");
        if (const verdict v = matmul::shapes(n, y); !v) return v;
        const shape& a = n.input(0).dims;
        for (int k : {2, 4}) {
            const shape s = n.has_input(k) ? n.input(k).dims : shape{};
            if (a.known() && s.known() && s.elements() != 1 && (s.rank != 1 || s[0] != a[a.rank - 1]))
                return no("A's scale and zero point must be one number, or one per column");
        }
        for (int k : {3, 5})
            if (const verdict v = scaled_columns::check(n, k); !v) return v;
        return bias_fits(n, 6);
    }
    static constexpr verdict bias_fits(const node_view& n, int k) {
        if (!n.has_input(k) || !n.input(k).dims.known() || !n.input(1).dims.known()) return yes();
        const shape& b = n.input(1).dims;
        return n.input(k).dims.elements() == (b.rank > 1 ? b[b.rank - 1] : 1)
                   ? yes()
                   : no("bias must have one number per column");
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(2); }
};
struct dynamic_quantize_matmul : matmul {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "DynamicQuantizeMatMul";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements = hana::tuple_t<types<float, quantized::byte>>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.mixes_rows = row_mixing::range};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input_count() > 5) return no("there are too many inputs");
        if (const verdict v = matmul::shapes(n, y); !v) return v;
        for (int k : {2, 3})
            if (const verdict v = scaled_columns::check(n, k); !v) return v;
        return matmul_integer_to_float::bias_fits(n, 4);
    }
};
}  // namespace op

struct scaled_product {
    matmul_params product{};
    element a{}, b{};
    line_values scale{}, zero{};             // of B
    bool a_scales = false, a_zeros = false;  // one per column of A
    presence has{};

    // put(element of the result, its column, its matrix of B, sum) for all matmuls: a(element of A, k), zeros of B in
    // input `zeros`.
    template <class Sum, class A, class F>
    void multiply(const arguments& args, int zeros, context& c, A a_of, F put) const noexcept {
        const quantized::bytes codes(b);
        c.split(product.batches * product.m, 1, [&](std::int64_t begin, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t line = begin; line < end; ++line) {
                const auto at = product.matrices(line / product.m);
                const std::int64_t row = (at.a * product.m + line % product.m) * product.k;
                const std::uint8_t* w = args.in<std::uint8_t>(1) + at.b * product.k * product.n;
                if (!multiply_row<Sum>(
                        product.n, product.k, ends, [&](std::int64_t k) { return static_cast<Sum>(a_of(row + k, k)); },
                        [&](std::int64_t k, std::int64_t j) {
                            const int z = has.has_in(zeros) ? codes.at(args, zeros, zero.at(at.b, j)) : 0;
                            return codes(w[k * product.n + j]) - z;
                        },
                        [&](std::int64_t j, Sum sum) { put(line * product.n + j, j, scale.at(at.b, j), sum); }))
                    return;
            }
        });
    }
};

template <class T>
struct kernel<op::matmul_integer_to_float, device::reference, types<quantized::byte, quantized::byte, T>>
    : simple_kernel {
    using params = scaled_product;
    static constexpr verdict supports(const node_view& n) {
        if (n.input(3).type != n.input(2).type || (n.has_input(6) && n.input(6).type != n.input(2).type))
            return no("scales and bias must have one type");
        for (int k : {0, 1})
            if (n.has_input(4 + k) && n.input(4 + k).type != n.input(k).type)
                return no("a zero point has another type than what it belongs to");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p{matmul_params::of(n), n.input(0).type, n.input(1).type, scaled_columns::of(n, 3),
                 scaled_columns::of(n, 5)};
        p.a_scales = n.input(2).dims.elements() != 1;
        p.a_zeros = n.has_input(4) && n.input(4).dims.elements() != 1;
        p.has = presence(n);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const quantized::bytes codes(p.a);
        const T *scale = a.in<T>(2), *b_scale = a.in<T>(3), *bias = p.has.template in<T>(a, 6);
        const auto integer = [&](std::int64_t i, std::int64_t k) {
            return codes.at(a, 0, i) - (p.has.has_in(4) ? codes.at(a, 4, p.a_zeros ? k : 0) : 0);
        };
        const auto put = [&](std::int64_t at, std::int64_t j, float x) {
            a.out<T>(0)[at] = static_cast<T>(bias ? x + static_cast<float>(bias[j]) : x);
        };
        if (p.a_scales)
            p.multiply<float>(
                a, 5, c,
                [&](std::int64_t i, std::int64_t k) { return float(integer(i, k)) * static_cast<float>(scale[k]); },
                [&](std::int64_t at, std::int64_t j, std::int64_t s, float sum) {
                    put(at, j, sum * static_cast<float>(b_scale[s]));
                });
        else
            p.multiply<std::uint32_t>(
                a, 5, c, integer, [&](std::int64_t at, std::int64_t j, std::int64_t s, std::uint32_t sum) {
                    put(at, j,
                        float(std::int32_t(sum)) * (static_cast<float>(*scale) * static_cast<float>(b_scale[s])));
                });
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <>
struct kernel<op::dynamic_quantize_matmul, device::reference, types<float, quantized::byte>> : simple_kernel {
    struct params : scaled_product {
        std::int64_t count = 0;  // of A's elements
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.input(2).type != element::f32 || (n.has_input(4) && n.input(4).type != element::f32))
            return no("scales and bias must be float");
        if (n.has_input(3) && n.input(3).type != n.input(1).type)
            return no("a zero point has another type than what it belongs to");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p{
            {matmul_params::of(n), element::u8, n.input(1).type, scaled_columns::of(n, 2), scaled_columns::of(n, 3)}};
        p.has = presence(n);
        p.count = n.input(0).dims.elements();
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, p.count}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const float *x = a.in<float>(0), *scale = a.in<float>(2), *bias = p.has.in<float>(a, 4);
        const auto q = dynamic_quantization::of(x, p.count);
        std::uint8_t* codes = reinterpret_cast<std::uint8_t*>(c.scratch);
        for (std::int64_t i = 0; i < p.count; ++i) codes[i] = q(x[i]);
        p.multiply<std::uint32_t>(
            a, 3, c, [&](std::int64_t i, std::int64_t) { return codes[i] - q.zero; },
            [&](std::int64_t at, std::int64_t j, std::int64_t s, std::uint32_t sum) {
                const float y = float(std::int32_t(sum)) * (q.scale * scale[s]);
                a.out<float>(0)[at] = bias ? y + bias[j] : y;
            });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
