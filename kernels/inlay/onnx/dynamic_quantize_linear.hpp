// DynamicQuantizeLinear (since 11): y = x / scale, rounded to nearest even, + zero point, from 0 to 255;
// scale and zero point are chosen so that the range holds 0 and all elements. If all are zero the scale is 1; one that
// is NaN makes the scale NaN.
#pragma once
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct dynamic_quantize_linear : standard {
    static constexpr std::string_view onnx_name = "DynamicQuantizeLinear";
    static constexpr version_range versions{11, 11};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements = hana::tuple_t<types<float, std::uint8_t>>;
    static constexpr operator_facts facts{.mixes_rows = row_mixing::range};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_output(k)) return no("y, y_scale and y_zero_point must all be there");
        y[0] = n.input(0).dims;
        for (std::size_t k = 1; k < y.size(); ++k) y[k] = {};
        return yes();
    }
    static constexpr element output_type(const node_view&, int k) { return k == 1 ? element::f32 : element::u8; }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct dynamic_quantization {
    static constexpr quantized::code_range codes = quantized::code_range::of(element::u8);
    float scale = 1;
    std::uint8_t zero = 0;
    dynamic_quantization(float least, float largest) noexcept {  // of 0 and all elements
        if (least == largest) return;
        scale = (largest - least) / 255;
        zero = static_cast<std::uint8_t>(codes(0 - least / scale, 0));
    }
    static dynamic_quantization of(const float* x, std::int64_t count) noexcept {
        float least = 0, largest = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            if (!(x[i] >= least)) least = x[i];
            if (!(x[i] <= largest)) largest = x[i];
            if (x[i] != x[i]) break;
        }
        return {least, largest};
    }
    std::uint8_t operator()(float x) const noexcept { return static_cast<std::uint8_t>(codes(x / scale, zero)); }
    void put(const arguments& a) const noexcept {
        *a.out<float>(1) = scale;
        *a.out<std::uint8_t>(2) = zero;
    }
};
template <> struct kernel<op::dynamic_quantize_linear, device::reference, types<float, std::uint8_t>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const float* x = a.in<float>(0);
        const auto q = dynamic_quantization::of(x, p.count);
        for (std::int64_t i = 0; i < p.count; ++i) a.out<std::uint8_t>(0)[i] = q(x[i]);
        q.put(a);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
