// QGemm (com.microsoft, since 1): Gemm of 8-bit quantized values less their zero points, C being int32 in the same
// steps: Y = (A B + C) * alpha * a_scale * b_scale, as float32, or with y_scale quantized as Y. Scale and zero point of
// B are one, or one per column. Inputs: A, its scale and zero point, B, likewise, C, y_scale, y_zero_point.
#pragma once
#include <inlay/onnx/gemm.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qgemm : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QGemm";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(3)};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte, quantized::byte>>;
    static constexpr int required_inputs = 6;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 6; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input_count() > 9) return no("there are too many inputs");
        const shape &a = n.input(0).dims, &b = n.input(3).dims;
        if ((a.rank >= 0 && a.rank != 2) || (b.rank >= 0 && b.rank != 2)) return no("A and B must be matrices");
        if (const verdict v = quantized::scalar_scaling(n, 1, 2, n.input(0).type); !v) return v;
        if (n.has_input(7))
            if (const verdict v = quantized::scalar_scaling(n, 7, 8, output_type(n, 0)); !v) return v;
        if (n.has_input(8) && !n.has_input(7)) return no("y_zero_point without y_scale");
        if (n.input(4).type != element::f32) return no("the scales must be float");
        if (n.input(5).type != n.input(3).type) return no("a zero point has another type than what it belongs to");
        if (n.has_input(6) && n.input(6).type != element::i32) return no("C must be int32");
        if (a.rank < 0 || b.rank < 0) return yes();
        const int by_row = n.integer("transA", 0) != 0, by_column = n.integer("transB", 0) != 0;
        const std::int64_t k = a[1 - by_row], l = b[by_column], columns = b[1 - by_column];
        if (k >= 0 && l >= 0 && k != l) return no("A and B disagree on K");
        y[0] = {a[by_row], columns};
        for (int s : {4, 5}) {
            const shape& dims = n.input(s).dims;
            if (dims.known() && columns >= 0 && dims.elements() != 1 && (dims.rank != 1 || dims[0] != columns))
                return no("B's scale and zero point must be one number, or one per column");
        }
        const shape c = n.has_input(6) ? n.input(6).dims : shape{};
        for (int i = 1; i <= c.rank; ++i)
            if (i > 2 || (c[c.rank - i] >= 0 && y[0][2 - i] >= 0 && c[c.rank - i] != 1 && c[c.rank - i] != y[0][2 - i]))
                return no("C does not broadcast to the result's shape");
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view& n, int) {
        return !n.has_input(7) ? element::f32 : n.has_input(8) ? n.input_type(8) : n.input_type(0);
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) { return gemm::flop(n, s); }
};
}  // namespace op

template <> struct kernel<op::qgemm, device::reference, types<quantized::byte, quantized::byte>> : simple_kernel {
    struct params {
        std::int64_t m = 0, n = 0, k = 0;
        bool trans_a = false, trans_b = false;
        std::int64_t c_row = 0, c_column = 0, scale_step = 0, zero_step = 0;
        element a{}, b{}, y{};
        float alpha = 1;
        presence has{};
    };
    static constexpr verdict supports(const node_view& n) {
        const element y = n.output(0).type;
        if (n.has_input(7) ? !elements_of<quantized::byte>.has(y) : y != element::f32)
            return no("Y must be of 8-bit integers, or float where y_scale is absent");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        params p{y[0], y[1], 0, n.integer("transA", 0) != 0, n.integer("transB", 0) != 0};
        p.k = n.input(0).dims[p.trans_a ? 0 : 1];
        if (n.has_input(6)) {
            const shape& c = n.input(6).dims;
            const std::int64_t columns = c.rank > 0 ? c[c.rank - 1] : 1, rows = c.rank > 1 ? c[0] : 1;
            p.c_column = columns > 1;
            p.c_row = rows > 1 ? columns : 0;
        }
        p.scale_step = n.input(4).dims.elements() > 1;
        p.zero_step = n.input(5).dims.elements() > 1;
        p.a = n.input(0).type;
        p.b = n.input(3).type;
        p.y = n.output(0).type;
        p.alpha = float(n.real("alpha", 1));
        p.has = presence(n);
        return p;
    }
    // Of column j: the factor of an accumulator, or of its steps in quantized output.
    static float factor(const params& p, const arguments& args, float a_scale, std::int64_t j) noexcept {
        const float number = p.alpha * a_scale * args.in<float>(4)[j * p.scale_step];
        return p.has.has_in(7) ? number / *args.in<float>(7) : number;
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        using quantized::linear_code, quantized::bytes;
        const linear_code a(p.a, args, 1, 2, p.has);
        const bytes b(p.b);
        const std::uint8_t *x = args.in<std::uint8_t>(0), *w = args.in<std::uint8_t>(3);
        const std::int32_t* add = p.has.in<std::int32_t>(args, 6);
        const auto put = [&](std::int64_t at, float number) {
            if (p.has.has_in(7))
                args.out<std::uint8_t>(0)[at] = linear_code(p.y, args, 7, 8, p.has).in_steps(number);
            else
                args.out<float>(0)[at] = number;
        };
        c.split(p.m, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t i = first; i < end; ++i)
                if (!multiply_row<std::uint32_t>(
                        p.n, p.k, ends,
                        [&](std::int64_t k) {
                            return std::uint32_t(a.integer(x[p.trans_a ? k * p.m + i : i * p.k + k]));
                        },
                        [&](std::int64_t k, std::int64_t j) {
                            return b(w[p.trans_b ? j * p.k + k : k * p.n + j]) - b.at(args, 5, j * p.zero_step);
                        },
                        [&](std::int64_t j, std::uint32_t sum) {
                            if (add) sum += std::uint32_t(add[i * p.c_row + j * p.c_column]);
                            put(i * p.n + j, float(std::int32_t(sum)) * factor(p, args, a.scale, j));
                        }))
                    return;
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
