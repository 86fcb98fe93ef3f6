// Of com.microsoft, since 1: QLinearSigmoid, QLinearLeakyRelu: the function of 8-bit quantized values, (value - zero
// point) * scale, quantized as y. Inputs: X, its scale and zero point, those of y.
#pragma once
#include <inlay/onnx/unary.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_unary : standard {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.input_count() > 5) return no("there are too many inputs");
        for (int k : {1, 3})
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(0).type); !v) return v;
        return same_shape(n, y);
    }
};
struct qlinear_sigmoid : qlinear_unary {
    static constexpr std::string_view onnx_name = "QLinearSigmoid";
    using function = sigmoid;
};
struct qlinear_leaky_relu : qlinear_unary {
    static constexpr std::string_view onnx_name = "QLinearLeakyRelu";
    using function = leaky_relu;
};
}  // namespace op

template <std::derived_from<op::qlinear_unary> Op>
struct kernel<Op, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        std::int64_t count;
        std::array<double, 2> numbers;
        element type;
        presence has;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), Op::function::numbers(n), n.input(0).type, presence(n)};
    }
    static constexpr bool is_scaling(int input) { return input > 0; }
    static constexpr int tables(const params&) { return 1; }
    static void make_tables(const params& p, const arguments& args, std::uint8_t* codes) noexcept {
        const quantized::linear_code x(p.type, args, 1, 2, p.has), y(p.type, args, 3, 4, p.has);
        for (int code = 0; code < 256; ++code)
            codes[code] = y(Op::function::template apply<float>(x.number(std::uint8_t(code)), float(p.numbers[0]),
                                                                float(p.numbers[1])));
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& args, context& c) noexcept {
        std::uint8_t codes[256];
        make_tables(p, args, codes);
        c.split(p.count, 1 << 16, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i)
                args.out<std::uint8_t>(0)[i] = codes[args.in<std::uint8_t>(0)[i]];
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
