// An operand of an operator of quantized tensors: (value - zero point) * scale, with one scale and zero point for the
// whole tensor, in inputs next to it.
#pragma once
#include <inlay/support/presence.hpp>
#include <inlay/support/quantized.hpp>

namespace inlay {
inline namespace v1 {
namespace quantized {
// The inputs that hold scale and zero point of values of type `code`; a zero point that is absent is 0.
constexpr verdict scalar_scaling(const node_view& n, int scale, int zero, element code) {
    if (!n.has_input(scale)) return no("a scale is missing");
    if (n.input(scale).type != element::f32) return no("the scales must be float");
    if (n.has_input(zero) && n.input(zero).type != code)
        return no("a zero point has another type than what it belongs to");
    for (int k : {scale, zero})
        if (n.has_input(k) && n.input(k).dims.known() && n.input(k).dims.elements() != 1)
            return no("scales and zero points must be one number");
    return yes();
}
struct linear_code {
    bytes type{};
    float scale = 1;
    int zero = 0;
    linear_code(element e, const arguments& a, int scale_at, int zero_at, const presence& has) noexcept
        : type(e), scale(*a.in<float>(scale_at)), zero(has.has_in(zero_at) ? type.at(a, zero_at, 0) : 0) {}
    int integer(std::uint8_t code) const noexcept { return type(code) - zero; }
    float number(std::uint8_t code) const noexcept { return scale * float(integer(code)); }
    // Of every quantized value. A table holds them rounded; a multiplication before an addition may become one FMA.
    std::array<float, 256> numbers() const noexcept {
        std::array<float, 256> values;
        for (int code = 0; code < 256; ++code) values[std::size_t(code)] = number(std::uint8_t(code));
        return values;
    }
    // Rounded to nearest even, and saturated.
    std::uint8_t operator()(float x) const noexcept { return in_steps(x / scale); }
    std::uint8_t in_steps(float steps) const noexcept {
        const int low = type.flip ? -128 : 0;
        const float code = std::rint(steps) + float(zero);
        return std::uint8_t(!(code > float(low)) ? low : code < float(low + 255) ? int(code) : low + 255);
    }
};
}  // namespace quantized
}  // namespace v1
}  // namespace inlay
