// QuantizeLinear and DequantizeLinear between float32 and integers of 8 or 16 bits on the CPU, those of com.microsoft
// too.
#pragma once
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/onnx/quantize_linear.hpp>

namespace inlay {
inline namespace v1 {
namespace quantized {
struct fast_linear : linear_kernel {
    struct params {
        std::int64_t count;
        scaling scales;
        bool is_signed;
    };
    struct state {
        const quantize_f32_table* table;
    };
    static constexpr params prepare(const node_view& n) {
        params p{n.input(0).dims.elements(), {}, n.input(0).type == element::i16 || n.output(0).type == element::i16};
        scaling::read(n, p.scales);
        return p;
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.table = &quantize_f32(u.level);
        return status::ok;
    }
    // Quantized values are of type T; back: they are the input.
    template <class T, bool Back>
    static status run_codes(const params& p, const state& s, const arguments& a, context& c) noexcept {
        using from = std::conditional_t<Back, T, float>;
        using to = std::conditional_t<Back, float, T>;
        const quantize_f32_table::codes<T>& functions = s.table->of<T>();
        const from* const x = a.in<from>(0);
        to* const y = a.out<to>(0);
        const float* const scales = a.in<float>(1);
        const T* const zeros = p.scales.has_zero ? a.in<T>(2) : nullptr;
        c.split(p.count, 1 << 14, [&](std::int64_t first, std::int64_t end, int) noexcept {
            p.scales.over(first, end, [&](std::int64_t at, std::int64_t n, std::int64_t k) {
                const bool per_element = p.scales.inner_step != 0;
                if constexpr (Back) {
                    if (per_element)
                        functions.dequantize_each(x + at, y + at, n, scales + k, zeros ? zeros + k : nullptr);
                    else
                        functions.dequantize(x + at, y + at, n, scales[k], zeros ? zeros[k] : 0);
                } else if (per_element)
                    functions.quantize_each(x + at, y + at, n, scales + k, zeros ? zeros + k : nullptr);
                else
                    functions.quantize(x + at, y + at, n, scales[k], zeros ? zeros[k] : 0);
            });
        });
        return status::ok;
    }
};
template <class T, bool Back> struct byte_kernel : fast_linear {
    static constexpr verdict supports(const node_view& n) {
        if (!Back && precision(n) != element::f32) return no("fast only where the division is float");
        return fits(n, elements_of<float>, element_of<T>);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return run_codes<T, Back>(p, s, a, c);
    }
};
template <bool Back> struct word_kernel : fast_linear {
    static constexpr verdict supports(const node_view& n) {
        if (!Back && precision(n) != element::f32) return no("fast only where the division is float");
        const element code = n.input(0).type == element::f32 ? n.output(0).type : n.input(0).type,
                      number = Back ? n.output(0).type : n.input(0).type;
        if (number != element::f32 || (code != element::i16 && code != element::u16))
            return no("fast only between float and integers of 8 or 16 bits");
        return fits(n, elements_of<float>, code);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return p.is_signed ? run_codes<std::int16_t, Back>(p, s, a, c) : run_codes<std::uint16_t, Back>(p, s, a, c);
    }
};
}  // namespace quantized
template <class T>
requires(sizeof(T) == 1) struct kernel<op::quantize_linear, device::cpu, types<float, T>>
    : quantized::byte_kernel<T, false> {
};
template <>
struct kernel<op::quantize_linear, device::cpu, types<quantized::wide, quantized::code>>
    : quantized::word_kernel<false> {};
template <class T>
requires(sizeof(T) == 1) struct kernel<op::microsoft_quantize_linear, device::cpu, types<float, T>>
    : quantized::byte_kernel<T, false> {
};
template <>
struct kernel<op::microsoft_quantize_linear, device::cpu, types<quantized::wide, quantized::code>>
    : quantized::word_kernel<false> {};
template <class T>
requires(sizeof(T) == 1) struct kernel<op::dequantize_linear, device::cpu, types<T, float>>
    : quantized::byte_kernel<T, true> {
};
template <>
struct kernel<op::dequantize_linear, device::cpu, types<quantized::code_or_i32, quantized::real>>
    : quantized::word_kernel<true> {};
template <class T>
requires(sizeof(T) == 1) struct kernel<op::microsoft_dequantize_linear, device::cpu, types<T, float>>
    : quantized::byte_kernel<T, true> {
};
template <>
struct kernel<op::microsoft_dequantize_linear, device::cpu, types<quantized::code_or_i32, quantized::real>>
    : quantized::word_kernel<true> {};
}  // namespace v1
}  // namespace inlay
