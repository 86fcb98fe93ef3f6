// QLinearSoftmax on the CPU, by lines.
#pragma once
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/microsoft/qlinear_softmax.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::qlinear_softmax, device::cpu, types<quantized::byte>> : simple_kernel {
    using plain = kernel<op::qlinear_softmax, device::reference, types<quantized::byte>>;
    using params = plain::params;
    struct state {
        const quantize_f32_table* table;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    // Of each part a line of powers, and one of quantized values where those are strided.
    static constexpr std::int64_t part_room(const params& p) { return (5 * p.lines.length + 63) / 64 * 64; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * part_room(p)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.table = &quantize_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const quantized::linear_code from(p.type, a, 1, 2, p.has), to(p.type, a, 3, 4, p.has);
        const code_powers powers(from);
        const std::int64_t n = p.lines.length, inner = p.lines.inner;
        c.split(p.lines.outer * inner, 1 + 8192 / std::max<std::int64_t>(n, 1),
                [&](std::int64_t first, std::int64_t end, int part) {
                    auto* const line = reinterpret_cast<float*>(c.scratch + part * part_room(p));
                    auto* const codes = reinterpret_cast<std::uint8_t*>(line + n);
                    for (std::int64_t i = first; i < end; ++i) {
                        const std::int64_t at = i / inner * n * inner + i % inner;
                        std::uint8_t* const y = a.out<std::uint8_t>(0) + at;
                        const float step = powers.line(a.in<std::uint8_t>(0) + at, inner, n, line) * to.scale;
                        std::uint8_t* const packed = inner == 1 ? y : codes;
                        if (p.type == element::i8)
                            s.table->i8.quantize(line, reinterpret_cast<std::int8_t*>(packed), n, step, to.zero);
                        else
                            s.table->u8.quantize(line, packed, n, step, to.zero);
                        for (std::int64_t k = 0; inner != 1 && k < n; ++k) y[k * inner] = codes[k];
                    }
                });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
