// ConvInteger (since 10): Conv of 8-bit integers less their zero points, as int32; QLinearConv (since 10): that + B,
// times x_scale * w_scale / y_scale, rounded to nearest even, + y_zero_point, saturated. W's scale and
// zero point are one, or one per output channel. Accumulators wrap around.
#pragma once
#include "conv.hpp"
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct conv_integer : standard {
    static constexpr std::string_view onnx_name = "ConvInteger";
    static constexpr version_range versions{10, 10};
    static constexpr std::array constraints{v1::input(0), v1::input(1), v1::output(0)};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte, quantized::byte, std::int32_t>>;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("X or W is missing");
        if (!one(n, 2) || !one_or_each(n, 3, 1))
            return no("a zero point must be one number, or W's one per output channel");
        convolution c;
        return convolution::read(n, c, y[0], 1, 0);
    }
    static constexpr bool one(const node_view& n, int k) {
        return !n.has_input(k) || !n.input(k).dims.known() || n.input(k).dims.elements() == 1;
    }
    static constexpr bool one_or_each(const node_view& n, int k, int weight) {
        if (one(n, k)) return true;
        const shape &s = n.input(k).dims, &w = n.input(weight).dims;
        return s.rank == 1 && (w.rank < 1 || w[0] < 0 || s[0] == w[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        return flop_of_windows(s.output(0), s.input(1));
    }
};
struct qlinear_conv : conv_integer {
    static constexpr std::string_view onnx_name = "QLinearConv";
    static constexpr std::array constraints{v1::input(0), v1::input(3), v1::output(0)};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte, quantized::byte, quantized::byte>>;
    static constexpr int required_inputs = 8;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 8; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        for (int k : {1, 2, 6, 7})
            if (!one(n, k)) return no("the scales and zero points of x and y must be one number");
        for (int k : {4, 5})
            if (!one_or_each(n, k, 3))
                return no("w's scale and zero point must be one number, or one per output channel");
        convolution c;
        return convolution::read(n, c, y[0], 3, 8);
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(7); }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        return flop_of_windows(s.output(0), s.input(3));
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct plain_integer_convolution {
    plain_convolution conv{};
    quantized::bytes x_type{}, w_type{};
    int weight = 0, x_zero = 0, w_zero = 0, bias = 0;  // the inputs that these are; none: 0
    bool each_zero = false;
    struct product {
        std::uint32_t start;
        quantized::bytes x_type, w_type;
        int x_zero, w_zero;
        std::uint32_t operator()(std::uint8_t x, std::uint8_t w) const noexcept {
            return static_cast<std::uint32_t>((x_type(x) - x_zero) * (w_type(w) - w_zero));
        }
    };
    static constexpr plain_integer_convolution of(const node_view& n, int weight, int x_zero, int w_zero, int bias) {
        const auto input_or_0 = [&](int k) { return n.has_input(k) ? k : 0; };
        return {plain_convolution::of(n, weight, bias),
                quantized::bytes(n.input(0).type),
                quantized::bytes(n.input(weight).type),
                weight,
                input_or_0(x_zero),
                input_or_0(w_zero),
                input_or_0(bias),
                n.has_input(w_zero) && n.input(w_zero).dims.elements() > 1};
    }
    template <class F> status run(const arguments& a, context& c, F put) const noexcept {
        const int x_less = x_zero ? x_type.at(a, x_zero, 0) : 0;
        return conv.run(
            a.in<std::uint8_t>(0), a.in<std::uint8_t>(weight), c,
            [&](std::int64_t m) {
                return product{bias ? static_cast<std::uint32_t>(a.in<std::int32_t>(bias)[m]) : 0, x_type, w_type,
                               x_less, w_zero ? w_type.at(a, w_zero, each_zero ? m : 0) : 0};
            },
            [&](std::int64_t at, std::int64_t m, std::uint32_t sum) { put(at, m, static_cast<std::int32_t>(sum)); });
    }
};
template <>
struct kernel<op::conv_integer, device::reference, types<quantized::byte, quantized::byte, std::int32_t>>
    : simple_kernel {
    using params = plain_integer_convolution;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {0, 1})
            if (n.has_input(2 + k) && n.input(2 + k).type != n.input(k).type)
                return no("a zero point has another type than what it belongs to");
        return yes();
    }
    static constexpr params prepare(const node_view& n) { return params::of(n, 1, 2, 3, 0); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return p.run(a, c, [&](std::int64_t at, std::int64_t, std::int32_t sum) { a.out<std::int32_t>(0)[at] = sum; });
    }
};
template <>
struct kernel<op::qlinear_conv, device::reference, types<quantized::byte, quantized::byte, quantized::byte>>
    : simple_kernel {
    struct params {
        plain_integer_convolution conv;
        quantized::code_range codes;
        quantized::bytes y_type;
        bool each_scale;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {0, 3})
            if (n.input(k + 2).type != n.input(k).type)
                return no("a zero point has another type than what it belongs to");
        if (n.input(7).type != n.output(0).type) return no("y_zero_point has another type than y");
        for (int k : {1, 4, 6})
            if (n.input(k).type != element::f32) return no("the scales must be float");
        return n.has_input(8) && n.input(8).type != element::i32 ? no("B must be int32") : yes();
    }
    static constexpr params prepare(const node_view& n) {
        const element y = n.output(0).type;
        return {plain_integer_convolution::of(n, 3, 2, 5, 8), quantized::code_range::of(y), quantized::bytes(y),
                n.input(4).dims.elements() > 1};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const float *x_scale = a.in<float>(1), *w_scale = a.in<float>(4), *y_scale = a.in<float>(6);
        const int zero = p.y_type.at(a, 7, 0);
        return p.conv.run(a, c, [&](std::int64_t at, std::int64_t m, std::int32_t sum) {
            a.out<std::uint8_t>(0)[at] = static_cast<std::uint8_t>(
                static_cast<int>(p.codes(float(sum) * (*x_scale * w_scale[p.each_scale ? m : 0] / *y_scale), zero)));
        });
    }
};
}  // namespace v1
}  // namespace inlay
