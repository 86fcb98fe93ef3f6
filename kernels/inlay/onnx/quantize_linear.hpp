// QuantizeLinear (since 10): y = x / scale, rounded to nearest even, + zero point; what the type of y
// cannot hold saturates. DequantizeLinear (since 10): y = (x - zero point) * scale. Scale and zero point are one for
// the tensor, since 13 one per element of an axis, or since 21 one per block of so many elements along it.
// QuantizeLinear divides in the type of the scale, or as `precision` says. Both also of com.microsoft (since 1).
#pragma once
#include <inlay/support/input_order.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
// Which scale and zero point an element has. Element (o, d, i) of outer x length x inner: number o * outer_step + d /
// block * axis_step + i * inner_step.
struct scaling {
    std::int64_t length = 1, inner = 1, block = 1, outer_step = 0, axis_step = 0, inner_step = 0;
    bool has_zero = false;

    static constexpr verdict read(const node_view& n, scaling& s) {
        if (!n.has_input(1)) return no("the scale is missing");
        s = {};
        s.has_zero = n.has_input(2);
        const shape &x = n.input(0).dims, &k = n.input(1).dims;
        if (s.has_zero && k.known() && n.input(2).dims.known() && n.input(2).dims != k &&
            (k.elements() != 1 || n.input(2).dims.elements() != 1))
            return no("scale and zero point differ in shape");
        const std::int64_t block = n.integer("block_size", 0);
        if (block < 0) return no("block_size must not be negative");
        if (!x.known() || !k.known()) return yes();
        if (k.rank <= 1 && k.elements() == 1) {
            s.inner = x.elements();
            return yes();
        }
        if (n.record.domain.empty() && n.version() < 13) return no("the scale must be one number before version 13");
        const int axis = normal_axis(n.integer("axis", 1), x.rank);
        if (axis < 0) return no("axis is out of range");
        s.inner = x.elements(axis + 1);
        if (block == 0) {
            if (k.rank != 1 || k[0] != x[axis])
                return no("the scale must be one number, or one per element of the axis");
            if (s.inner == 1) {
                s.inner = x[axis];
                s.inner_step = 1;
            } else {
                s.length = x[axis];
                s.axis_step = 1;
            }
            return yes();
        }
        s.length = x[axis];
        s.block = std::max<std::int64_t>(std::min(block, x[axis]), 1);
        shape blocks = x;
        blocks[axis] = x[axis] / s.block + (x[axis] % s.block != 0);
        if (k != blocks)
            return no("the scale must have the shape of the input, but one element per block along the axis");
        s.axis_step = s.inner;
        s.inner_step = s.inner > 1;
        s.outer_step = blocks[axis] * s.inner;
        return yes();
    }
    // Runs of elements [first, end): f(element, count, its scale). Scales of a run advance by inner_step.
    template <class F> void over(std::int64_t first, std::int64_t end, F f) const {
        while (first < end) {
            const std::int64_t row = length * inner, at = first % row, d = at / inner, i = at % inner;
            const std::int64_t left = inner_step ? inner - i : std::min(row - at, block * inner - at % (block * inner)),
                               count = std::min(left, end - first);
            f(first, count, first / row * outer_step + d / block * axis_step + i * inner_step);
            first += count;
        }
    }
};

namespace op {
struct quantize_linear : standard {
    static constexpr std::string_view onnx_name = "QuantizeLinear";
    static constexpr version_range versions{10, 28};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<float, std::uint8_t>, types<float, std::int8_t>, types<quantized::wide, quantized::code>>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        y[0] = n.input(0).dims;
        scaling s;
        return scaling::read(n, s);
    }
    static constexpr element output_type(const node_view& n, int) {
        const element stated = element_numbered(n.integer("output_dtype", 0));
        return n.has_input(2) ? n.input_type(2) : stated != element::undefined ? stated : element::u8;
    }
};
struct dequantize_linear : quantize_linear {
    static constexpr std::string_view onnx_name = "DequantizeLinear";
    static constexpr auto elements = hana::tuple_t<types<std::uint8_t, float>, types<std::int8_t, float>,
                                                   types<quantized::code_or_i32, quantized::real>>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .decodes = true};
    static constexpr element output_type(const node_view& n, int) {
        const element stated = element_numbered(n.integer("output_dtype", 0));
        return stated != element::undefined ? stated : n.input_type(1);
    }
};
struct microsoft_quantize_linear : quantize_linear {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
};
struct microsoft_dequantize_linear : dequantize_linear {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
};
}  // namespace op

namespace quantized {
struct linear_kernel : simple_kernel {
    struct params {
        std::int64_t count;
        scaling scales;
        element x, y, scale, precision;
        bool saturate;
    };
    static constexpr layout_rule layouts(
        const node_view& n) {  // one scale for all: the order of elements does not matter
        return n.input(1).dims.rank <= 1 && n.input(1).dims.elements() == 1 ? order_of_input(n) : layout_rule{};
    }
    static constexpr params prepare(const node_view& n) {
        params p{n.input(0).dims.elements(),   {}, n.input(0).type, n.output(0).type, n.input(1).type, precision(n),
                 n.integer("saturate", 1) != 0};
        scaling::read(n, p.scales);
        return p;
    }
    static constexpr element precision(const node_view& n) {  // of the division
        const auto type = n.integer("precision", 0);
        const element scale = n.input(1).type;
        return type > 0 && type < element_count ? element(type) : elements_of<real>.has(scale) ? scale : element::f32;
    }
    static constexpr verdict fits(const node_view& n, element_set scales, element code) {
        if (!scales.has(n.input(1).type)) return no("the scale has a type that is not for it");
        if (n.has_input(2) && n.input(2).type != code)
            return no("the zero point has another type than what is quantised");
        return yes();
    }
    // A block of elements with their scales and zero points: make(numbers, count, scale of the first, zero point of the
    // first, step of both).
    template <class F> static void each_block(const params& p, const arguments& a, context& c, F make) noexcept {
        using casting::block;
        c.split((p.count + block - 1) / block, 32, [&](std::int64_t first, std::int64_t end, int) noexcept {
            double numbers[block], scales[block], zeros[block] = {};
            for (std::int64_t from = first * block; from < end * block && from < p.count; from += block) {
                const int count = int(std::min<std::int64_t>(block, p.count - from));
                load(p.x, a.inputs[0], from, count, numbers);
                p.scales.over(from, from + count, [&](std::int64_t at, std::int64_t n, std::int64_t k) {
                    const int scale_count = p.scales.inner_step ? int(n) : 1;
                    load(p.scale, a.inputs[1], k, scale_count, scales);
                    if (p.scales.has_zero) load(code_of(p), a.inputs[2], k, scale_count, zeros);
                    for (std::int64_t j = 0; j < n; ++j) {
                        double& x = numbers[at - from + j];
                        x = make(x, scales[p.scales.inner_step * j], zeros[p.scales.inner_step * j]);
                    }
                });
                store(p.y, a.outputs[0], from, count, numbers, p.saturate);
            }
        });
    }

  private:
    static element code_of(const params& p) { return codes.has(p.y) ? p.y : p.x; }
};
inline float rounded_to(element e, double x) noexcept {
    return e == element::f16    ? float(casting::narrow<float16>(x, {}))
           : e == element::bf16 ? float(casting::narrow<bfloat16>(x, {}))
                                : float(x);
}
}  // namespace quantized

template <>
struct kernel<op::quantize_linear, device::reference, types<quantized::wide, quantized::code>>
    : quantized::linear_kernel {
    static constexpr verdict supports(const node_view& n) {
        if (!elements_of<quantized::real>.has(precision(n))) return no("precision must be float, float16 or bfloat16");
        return fits(n, element_set::of({element::f32, element::f16, element::bf16, element::i32, element::f8e8m0}),
                    n.output(0).type);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        casting::clear_padding({p.count, p.x, p.y, {}}, a.outputs[0]);
        const auto saturated = quantized::code_range::of(p.y);
        each_block(p, a, c, [&](double x, double scale, double zero) {
            using quantized::rounded_to;
            return saturated(
                rounded_to(p.precision, double(rounded_to(p.precision, x) / rounded_to(p.precision, scale))), zero);
        });
        return status::ok;
    }
};
template <>
struct kernel<op::dequantize_linear, device::reference, types<quantized::code_or_i32, quantized::real>>
    : quantized::linear_kernel {
    static constexpr verdict supports(const node_view& n) {
        return fits(n, element_set::of({element::f32, element::f16, element::bf16, element::f8e8m0}), n.input(0).type);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        each_block(p, a, c, [](double x, double scale, double zero) { return (x - zero) * scale; });
        return status::ok;
    }
};
template <>
struct kernel<op::microsoft_quantize_linear, device::reference, types<quantized::wide, quantized::code>>
    : kernel<op::quantize_linear, device::reference, types<quantized::wide, quantized::code>> {};
template <>
struct kernel<op::microsoft_dequantize_linear, device::reference, types<quantized::code_or_i32, quantized::real>>
    : kernel<op::dequantize_linear, device::reference, types<quantized::code_or_i32, quantized::real>> {};
}  // namespace v1
}  // namespace inlay
