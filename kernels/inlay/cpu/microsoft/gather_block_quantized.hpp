// GatherBlockQuantized on the CPU, of 4- or 8-bit values in blocks along the last axis.
#pragma once
#include <inlay/cpu/isa/half_f32.hpp>
#include <inlay/cpu/isa/nibbles_f32.hpp>
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/microsoft/gather_block_quantized.hpp>

namespace inlay {
inline namespace v1 {
template <class T>
requires(std::is_same_v<T, float> ||
         half_float<T>) struct kernel<op::gather_block_quantized, device::cpu, types<block_codes, T>>
    : kernel<op::gather_block_quantized, device::reference, types<block_codes, T>> {
    using plain = kernel<op::gather_block_quantized, device::reference, types<block_codes, T>>;
    using params = typename plain::params;
    struct state {
        const nibbles_f32_table* nibbles;
        const quantize_f32_table* bytes;
        const half_f32_table* halves;
    };
    static constexpr verdict supports(const node_view& n) {
        block_table t;
        if (const verdict v = block_table::read(n, t); !v) return v;
        const int last_axis = t.dims.rank - 1;
        if (!t.integers || t.quantised != last_axis) return no("fast only for integers in blocks along the last axis");
        if (t.gathered == last_axis) return no("fast only where rows of codes are gathered");
        if (t.bits == 2) return no("fast only for 4-bit and 8-bit quantized values");
        if (t.dims[last_axis] * t.bits % 8 != 0) return no("fast only where a row of codes fills its bytes");
        return plain::supports(n);
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {&nibbles_f32(u.level), &quantize_f32(u.level), &half_f32(u.level)};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return plain::gather(p, a, c, [&](std::int64_t from, std::int64_t count, int zero, float scale, T* y) noexcept {
            const block_table& t = p.table;
            const auto* codes = a.in<std::uint8_t>(0) + from * t.bits / 8;
            const auto of_4 = t.type == element::i4 ? s.nibbles->dequantize_i4 : s.nibbles->dequantize_u4;
            const auto decode = t.bits == 4 ? of_4 : s.bytes->u8.dequantize;
            if constexpr (std::is_same_v<T, float>)
                decode(codes, y, count, scale, zero);
            else {
                constexpr std::int64_t together = 256;
                const auto& format = std::is_same_v<T, float16> ? s.halves->float16 : s.halves->bfloat16;
                float numbers[together];
                for (std::int64_t i = 0; i < count; i += together) {
                    const std::int64_t block_length = std::min(together, count - i);
                    decode(codes + i * t.bits / 8, numbers, block_length, scale, zero);
                    format.narrow(numbers, reinterpret_cast<std::uint16_t*>(y + i), block_length);
                }
            }
        });
    }
};
}  // namespace v1
}  // namespace inlay
