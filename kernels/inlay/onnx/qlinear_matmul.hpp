// QLinearMatMul (since 10): MatMul of 8-bit numbers less their zero points, times a_scale * b_scale / y_scale, rounded
// to nearest even,
// + y_zero_point, saturated. Scale and zero point of an operand are one number, or one per row of a and per column of
// b.
#pragma once
#include "matmul.hpp"
#include <inlay/support/line_values.hpp>
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_matmul : standard {
    static constexpr std::string_view onnx_name = "QLinearMatMul";
    static constexpr version_range versions{10, 21};
    static constexpr std::array constraints{v1::input(0), v1::input(3), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<quantized::byte, quantized::byte, quantized::byte>,
                      types<quantized::small_real, quantized::small_real, quantized::small_real>>;
    static constexpr int required_inputs = 8;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 8; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        for (int k : {6, 7})
            if (n.input(k).dims.known() && n.input(k).dims.elements() != 1)
                return no("y_scale and y_zero_point must be one number");
        line_values v;
        for (int k : {1, 2}) {
            if (!line_values::read(n.input(0).dims, n.input(k).dims, 2, v))
                return no("a's scale and zero point must be one number, or one per row");
            if (!line_values::read(n.input(3).dims, n.input(3 + k).dims, 1, v))
                return no("b's scale and zero point must be one number, or one per column");
        }
        return matmul::shapes_of(n, 3, y);
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(7); }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

namespace quantized {
struct operand {  // of a matmul: its elements less their zero points, and the scales of its lines
    element type{}, scale_type{};
    line_values scale{}, zero{};
    static constexpr operand of(const node_view& n, int k) {
        operand o{n.input(k).type, n.input(k + 1).type};
        line_values::read(n.input(k).dims, n.input(k + 1).dims, k ? 1 : 2, o.scale);
        line_values::read(n.input(k).dims, n.input(k + 2).dims, k ? 1 : 2, o.zero);
        return o;
    }
};
struct whole {  // numbers of 8-bit integers
    using sum = std::uint32_t;
    bytes type;
    explicit whole(element e) : type(e) {}
    int operator()(const void* x, std::int64_t i) const noexcept {
        return type(static_cast<const std::uint8_t*>(x)[i]);
    }
};
struct fraction {  // of 8-bit floating-point types
    using sum = double;
    element type;
    double operator()(const void* x, std::int64_t i) const noexcept { return load(type, x, i); }
};
template <class Read> struct product_kernel : simple_kernel {
    struct params {
        matmul_params product;
        operand a, b;
        element y, y_scale;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {0, 3})
            if (n.input(k + 2).type != n.input(k).type)
                return no("a zero point has another type than what it belongs to");
        if (n.input(7).type != n.output(0).type) return no("y_zero_point has another type than y");
        for (int k : {1, 4, 6})
            if (!elements_of<real>.has(n.input(k).type)) return no("the scales must be float, float16 or bfloat16");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        return {matmul_params::of(n, 3), operand::of(n, 0), operand::of(n, 3), n.output(0).type, n.input(6).type};
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        using sum = typename Read::sum;
        const matmul_params& q = p.product;
        const Read a{p.a.type}, b{p.b.type};
        const auto codes = code_range::of(p.y);
        const auto scale = [&](element e, int k, std::int64_t i) { return float(load(e, args.inputs[k], i)); };
        const float y_scale = scale(p.y_scale, 6, 0);
        const double y_zero = load(p.y, args.inputs[7], 0);
        c.split(q.batches * q.m, 1, [&](std::int64_t begin, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t row = begin; row < end; ++row) {
                const auto at = q.matrices(row / q.m);
                const std::int64_t line = row % q.m, x = (at.a * q.m + line) * q.k, w = at.b * q.k * q.n;
                const auto a_zero = a(args.inputs[2], p.a.zero.at(at.a, line));
                const auto b_zero = p.b.zero.per_line ? 0 : b(args.inputs[5], p.b.zero.at(at.b, 0));
                const float a_scale = scale(p.a.scale_type, 1, p.a.scale.at(at.a, line));
                const auto put = [&](std::int64_t j, sum accumulator) {
                    const float number =
                        std::is_same_v<sum, double> ? float(accumulator) : float(std::int32_t(accumulator));
                    const double code =
                        codes(number * (a_scale * scale(p.b.scale_type, 4, p.b.scale.at(at.b, j)) / y_scale), y_zero);
                    store(p.y, args.outputs[0], row * q.n + j, 1, &code);
                };
                if (!multiply_row<sum>(
                        q.n, q.k, ends,
                        [&](std::int64_t k) { return static_cast<sum>(a(args.inputs[0], x + k) - a_zero); },
                        [&](std::int64_t k, std::int64_t j) {
                            return b(args.inputs[3], w + k * q.n + j) -
                                   (p.b.zero.per_line ? b(args.inputs[5], p.b.zero.at(at.b, j)) : b_zero);
                        },
                        put))
                    return;
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace quantized
template <>
struct kernel<op::qlinear_matmul, device::reference, types<quantized::byte, quantized::byte, quantized::byte>>
    : quantized::product_kernel<quantized::whole> {};
template <>
struct kernel<op::qlinear_matmul, device::reference,
              types<quantized::small_real, quantized::small_real, quantized::small_real>>
    : quantized::product_kernel<quantized::fraction> {};
}  // namespace v1
}  // namespace inlay
