// QuantizeLinear and DequantizeLinear between float and 8-bit integers on the CPU.
#pragma once
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/onnx/quantize_linear.hpp>

namespace inlay {
inline namespace v1 {
namespace quantized {
template <class T, bool Back> struct byte_kernel : linear_kernel {
    struct params {
        std::int64_t count;
        scaling scales;
    };
    struct state {
        const quantize_f32_table::codes<T>* functions;
    };
    static constexpr verdict supports(const node_view& n) {
        if (!Back && precision(n) != element::f32) return no("fast only where the division is float");
        return fits(n, elements_of<float>, element_of<T>);
    }
    static constexpr params prepare(const node_view& n) {
        params p{n.input(0).dims.elements(), {}};
        scaling::read(n, p.scales);
        return p;
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &quantize_f32(u.level).of<T>();
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        using from = std::conditional_t<Back, T, float>;
        using to = std::conditional_t<Back, float, T>;
        const from* const x = a.in<from>(0);
        to* const y = a.out<to>(0);
        const float* const scales = a.in<float>(1);
        const T* const zeros = p.scales.has_zero ? a.in<T>(2) : nullptr;
        c.split(p.count, 1 << 14, [&](std::int64_t first, std::int64_t last, int) noexcept {
            p.scales.over(first, last, [&](std::int64_t at, std::int64_t n, std::int64_t k) {
                const bool each = p.scales.inner_step != 0;
                if constexpr (Back) {
                    if (each)
                        s.functions->dequantize_each(x + at, y + at, n, scales + k, zeros ? zeros + k : nullptr);
                    else
                        s.functions->dequantize(x + at, y + at, n, scales[k], zeros ? zeros[k] : 0);
                } else if (each)
                    s.functions->quantize_each(x + at, y + at, n, scales + k, zeros ? zeros + k : nullptr);
                else
                    s.functions->quantize(x + at, y + at, n, scales[k], zeros ? zeros[k] : 0);
            });
        });
        return status::ok;
    }
};
}  // namespace quantized
template <>
struct kernel<op::quantize_linear, device::cpu, types<float, std::uint8_t>>
    : quantized::byte_kernel<std::uint8_t, false> {};
template <>
struct kernel<op::quantize_linear, device::cpu, types<float, std::int8_t>>
    : quantized::byte_kernel<std::int8_t, false> {};
template <>
struct kernel<op::dequantize_linear, device::cpu, types<std::uint8_t, float>>
    : quantized::byte_kernel<std::uint8_t, true> {};
template <>
struct kernel<op::dequantize_linear, device::cpu, types<std::int8_t, float>>
    : quantized::byte_kernel<std::int8_t, true> {};
}  // namespace v1
}  // namespace inlay
