// Of com.microsoft, since 1: QLinearAdd, QLinearMul: A + B or A * B of 8-bit quantized values, (value - zero point) *
// scale, with broadcasting, quantized as C, by the ratios of the scales, as in ONNX Runtime. Inputs: each operand
// with its scale and zero point, then C's.
#pragma once
#include <inlay/support/broadcast.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_binary : standard {
    struct factors {  // of the values less their zero points, and of the result of both: then these are steps of C
        float a, b, result;
    };
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() < 7 || n.input_count() > 8 || !n.has_input(0) || !n.has_input(3))
            return no("an input is missing");
        if (n.input(3).type != n.input(0).type) return no("A and B must have one type");
        for (int k : {1, 4, 6})
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(0).type); !v) return v;
        shape s;
        if (!broadcast(n.input(0).dims, n.input(3).dims, s)) return no("the inputs' shapes do not broadcast");
        y[0] = s;
        return countable(s) ? yes() : no("the output is too large");
    }
};
struct qlinear_add : qlinear_binary {
    static constexpr std::string_view onnx_name = "QLinearAdd";
    static constexpr factors by(float a, float b, float y) { return {a / y, b / y, 1}; }
    static constexpr float apply(float a, float b) { return a + b; }
};
struct qlinear_mul : qlinear_binary {
    static constexpr std::string_view onnx_name = "QLinearMul";
    static constexpr factors by(float a, float b, float y) { return {1, 1, a * b / y}; }
    static constexpr float apply(float a, float b) { return a * b; }
};
}  // namespace op

template <std::derived_from<op::qlinear_binary> Op>
struct kernel<Op, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        broadcast_loops<4> loops;
        element type;
        presence has;
    };
    static constexpr params prepare(const node_view& n) {
        // make_loops numbers operands as inputs are: B is input 3.
        return {make_loops<4>(n, 4), n.input(0).type, presence(n)};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& args, context& c) noexcept {
        using quantized::linear_code;
        linear_code a(p.type, args, 1, 2, p.has), b(p.type, args, 4, 5, p.has);
        const linear_code y(p.type, args, 6, 7, p.has);
        const op::qlinear_binary::factors by = Op::by(a.scale, b.scale, y.scale);
        a.scale = by.a;
        b.scale = by.b;
        const auto left = a.numbers(), right = b.numbers();
        const std::int64_t i = p.loops.along(0), j = p.loops.along(3);
        c.split(p.loops.elements(), 16384, [&](std::int64_t first, std::int64_t end, int) {
            over_rows(p.loops, first, end, [&](std::int64_t at, const auto& x, std::int64_t n) {
                for (std::int64_t e = 0; e < n; ++e)
                    args.out<std::uint8_t>(0)[at + e] =
                        y.in_steps(Op::apply(left[args.in<std::uint8_t>(0)[x[0] + e * i]],
                                             right[args.in<std::uint8_t>(3)[x[3] + e * j]]) *
                                   by.result);
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
