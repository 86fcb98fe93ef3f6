// MatMulNBits on the CPU, by constant weights, which are packed once. With accuracy_level 4 rows of A are rounded to
// 8-bit integers per block, where the level multiplies these; with 3 and 4, and with precision::bfloat16, many rows and
// the weights to bfloat16 where it multiplies tiles of it. All else is computed in floats.
#pragma once
#include <inlay/cpu/support/nbits.hpp>
#include <inlay/microsoft/matmul_nbits.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::matmul_nbits, device::cpu, types<float>> : simple_kernel {
    struct params : nbits_params {
        nbits_product product{};
    };
    struct state {
        isa::level level{};
        const float* strips = nullptr;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 2 | 1 << 3;
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(4)) return no("fast only without g_idx");
        for (int k : {1, 2, 3})
            if (n.has_input(k) && !n.is_constant(k)) return no("fast only where the weights are constants");
        return kernel<op::matmul_nbits, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p{kernel<op::matmul_nbits, device::reference, types<float>>::prepare(n)};
        const std::int64_t accuracy = n.graph.precision == precision::strict ? 0 : n.integer("accuracy_level", 0);
        p.product = {p.n,
                     p.k,
                     p.block,
                     p.bits,
                     !n.has_input(3)  ? nbits_zeros::none
                     : p.packed_zeros ? nbits_zeros::bytes
                                      : nbits_zeros::numbers,
                     accuracy == 4,
                     accuracy == 3 || accuracy == 4 || n.graph.precision == precision::bfloat16};
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.product.packed(l), 4 * p.product.scratch(l, p.m, threads)};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* const strips = reinterpret_cast<float*>(u.storage);
        const auto *codes = w.in<std::uint8_t>(1), *zeros = p.packed_zeros ? w.in<std::uint8_t>(3) : nullptr;
        const float *scales = w.in<float>(2), *numbers = p.packed_zeros ? nullptr : p.has.in<float>(w, 3);
        p.product.pack(
            u.level, strips, p.product.words_at(codes, p.row_bytes()),
            [&](std::int64_t row, std::int64_t b) { return scales[row * p.blocks + b]; },
            [&](std::int64_t row, std::int64_t b) {
                return zeros ? float(p.code(zeros + row * p.zero_bytes(), b)) : numbers[row * p.blocks + b];
            });
        s = {u.level, strips};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        p.product.run(s.level, s.strips, a.in<float>(0), p.k, p.m, p.has.in<float>(a, 5), a.out<float>(0), p.n,
                      reinterpret_cast<float*>(c.scratch), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
