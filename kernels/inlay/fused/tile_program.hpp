// inlay.TileProgram (1): a tree of element-wise operators on floating-point types, with broadcasting, as one node. Only
// the passes write it.
//   operators, in order: Relu, Sigmoid, Tanh, Erf, Sqrt, HardSigmoid, HardSwish, Clip, Pow, Add, Sub, Mul, Div;
//   operands: two per operator, the second -1 where it has one: k is input k, inputs + i the result of operator i;
//   numbers: two per operator: HardSigmoid's alpha and beta, Clip's bounds, Pow's exponent, which is 2, 3 or 1/2.
// Y is the last operator's result, in the shape that all inputs broadcast to.
#pragma once
#include <inlay/onnx/clip.hpp>
#include <inlay/onnx/unary.hpp>
#include <inlay/support/broadcast.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
struct tile_program {
    static constexpr int most_instructions = 16, most_inputs = 8;
    enum operation : std::uint8_t {
        relu,
        sigmoid,
        tanh,
        erf,
        sqrt,
        hard_sigmoid,
        hard_swish,
        clip,
        square,
        cube,
        power_of_half,
        add,
        sub,
        mul,
        div
    };
    struct instruction {
        operation kind = relu;
        std::int8_t a = 0, b = -1;
        float p = 0, q = 0;
    };
    static constexpr bool is_binary(operation o) { return o >= add; }
    std::array<instruction, most_instructions> code{};
    int count = 0, inputs = 0;

    static constexpr verdict read(const node_view& n, tile_program& t) {
        struct named {
            std::string_view name;
            operation kind;
        };
        constexpr named table[] = {{"Relu", relu},
                                   {"Sigmoid", sigmoid},
                                   {"Tanh", tanh},
                                   {"Erf", erf},
                                   {"Sqrt", sqrt},
                                   {"HardSigmoid", hard_sigmoid},
                                   {"HardSwish", hard_swish},
                                   {"Clip", clip},
                                   {"Pow", square},
                                   {"Add", add},
                                   {"Sub", sub},
                                   {"Mul", mul},
                                   {"Div", div}};
        const auto operators = n.texts("operators");
        const auto operands = n.integers("operands");
        const auto numbers = n.reals("numbers");
        t.count = int(operators.size());
        t.inputs = n.input_count();
        if (t.count < 1 || t.count > most_instructions || operands.size() != 2 * operators.size() ||
            numbers.size() != 2 * operators.size())
            return no("a program has 1 to 16 operators, each with two operands and two numbers");
        if (t.inputs < 1 || t.inputs > most_inputs) return no("a program has 1 to 8 inputs");
        for (int i = 0; i < t.count; ++i) {
            const auto entry = std::ranges::find(table, operators[std::size_t(i)], &named::name);
            if (entry == std::end(table)) return no("an operator of the program is unknown");
            const std::int64_t a = operands[std::size_t(2 * i)], b = operands[std::size_t(2 * i + 1)];
            instruction& o = t.code[std::size_t(i)];
            o = {entry->kind, std::int8_t(a), std::int8_t(b), float(numbers[std::size_t(2 * i)]),
                 float(numbers[std::size_t(2 * i + 1)])};
            if (a < 0 || a >= t.inputs + i || (is_binary(o.kind) ? b < 0 || b >= t.inputs + i : b != -1))
                return no("an operand of the program is no earlier value");
            if (o.kind == clip && (o.p != o.p || o.q != o.q)) return no("a bound of Clip is NaN");
            if (o.kind == hard_swish) o.p = 1 / 6.f, o.q = 0.5f;
            if (o.kind != square) continue;
            if (o.p != 2 && o.p != 3 && o.p != 0.5f) return no("the exponent of Pow is not 2, 3 or 1/2");
            o.kind = o.p == 2 ? square : o.p == 3 ? cube : power_of_half;
        }
        return yes();
    }
    INLAY_ON_DEVICE static float result_of(const instruction& o, float a, float b) {
        switch (o.kind) {
            case relu: return op::relu::apply(a, 0.f, 0.f);
            case sigmoid: return op::sigmoid::apply(a, 0.f, 0.f);
            case tanh: return op::tanh::apply(a, 0.f, 0.f);
            case erf: return op::erf::apply(a, 0.f, 0.f);
            case sqrt: return op::sqrt::apply(a, 0.f, 0.f);
            case hard_sigmoid: return op::hard_sigmoid::apply(a, o.p, o.q);
            case hard_swish: return op::hard_swish::apply(a, o.p, o.q);
            case clip: return element_of_clip<float>{o.p, o.q}(a);
            case square: return a * a;
            case cube: return float(double(a) * double(a) * double(a));
            case power_of_half: return a == -std::numeric_limits<float>::infinity() ? -a : std::sqrt(a + 0.f);
            case add: return a + b;
            case sub: return a - b;
            case mul: return a * b;
            case div: return a / b;
        }
        return a;
    }
    // The result for one element of each input, which `values` begins with; the rest is space for the operators'
    // results.
    INLAY_ON_DEVICE float run(float (&values)[most_inputs + most_instructions]) const {
        for (int i = 0; i < count; ++i) {
            const instruction& o = code[std::size_t(i)];
            values[inputs + i] = result_of(o, values[o.a], o.b < 0 ? 0.f : values[o.b]);
        }
        return values[inputs + count - 1];
    }
};

namespace op {
struct tile_program : standard {
    static constexpr std::string_view onnx_name = "TileProgram", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        return broadcast_shape_of(1, n, y);
    }
};
}  // namespace op

struct tile_program_kernel : simple_kernel {
    struct params {
        tile_program program;
        broadcast_loops<tile_program::most_inputs + 1> loops;  // of the inputs and, as the last operand, of the output
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        tile_program t;
        shape y;
        if (const verdict v = tile_program::read(n, t); !v) return v;
        if (const verdict v = op::tile_program::shapes(n, std::span(&y, 1)); !v) return v;
        for (int k = 0; k < t.inputs; ++k)
            if (n.input(k).type != n.input(0).type) return no("the inputs of the program must have one type");
        return y == n.output(0).dims ? yes() : no("the result has another shape than the inputs broadcast to");
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        (void)tile_program::read(n, p.program);
        p.loops = make_loops<tile_program::most_inputs + 1>(n, p.program.inputs, -1, true);
        return p;
    }
};
template <class T> struct kernel<op::tile_program, device::reference, types<T>> : tile_program_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const int inputs = p.program.inputs;
        over_rows(p.loops, 0, p.loops.elements(), [&](std::int64_t, const auto& at, std::int64_t n) {
            for (std::int64_t e = 0; e < n; ++e) {
                float values[tile_program::most_inputs + tile_program::most_instructions];
                for (int k = 0; k < inputs; ++k) values[k] = a.in<T>(k)[at[std::size_t(k)] + e * p.loops.along(k)];
                a.out<T>(0)[at[std::size_t(inputs)] + e * p.loops.along(inputs)] =
                    static_cast<T>(p.program.run(values));
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
