// BlockedMatMul on the CPU, by MatMulNBits' kernels: the quantized values stay in 4 bits, and are packed once. With
// precision::bfloat16, many rows and the weights are rounded where the level has bf16 matrix tiles.
#pragma once
#include <inlay/cpu/support/nbits.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/fused/blocked_matmul.hpp>

namespace inlay {
inline namespace v1 {
struct blocked_matmul_f32_kernel : blocked_matmul_kernel {
    struct params : blocked_matmul_params {
        nbits_product product{};
    };
    struct state {
        isa::level level{};
        const float* strips = nullptr;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 2 | 1 << 3;
    static constexpr verdict supports(const node_view& n) { return blocked_matmul_kernel::supports(n); }
    static constexpr params prepare(const node_view& n) {
        params p{sizes(n)};
        const bool middle = p.is_signed && !p.has.has_in(3);  // the implied zero point
        p.product = {p.n,
                     p.k,
                     p.block,
                     4,
                     middle ? nbits_zeros::none : nbits_zeros::bytes,
                     false,
                     n.graph.precision == precision::bfloat16};
        return p;
    }
    static constexpr bool reduced(const params& p) { return p.product.pairs; }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.product.packed(l), 4 * p.product.scratch(l, p.m, threads)};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* const strips = reinterpret_cast<float*>(u.storage);
        const auto *codes = w.in<std::uint8_t>(1), *zeros = p.has.in<std::uint8_t>(w, 3);
        const float* scales = w.in<float>(2);
        p.product.pack(
            u, strips, p.product.words_of([&](std::int64_t column, std::int64_t i) {
                return p.from_zero(p.code(codes, p.at(i, column)));
            }),
            [&](std::int64_t column, std::int64_t b) { return scales[p.block_at(b, column)]; },
            [&](std::int64_t column, std::int64_t b) { return p.zero(zeros, b, column); });
        s = {u.level, strips};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        p.product.run(s.level, s.strips, a.in<float>(0), p.k, p.m, p.has.in<float>(a, 4), a.out<float>(0), p.n,
                      reinterpret_cast<float*>(c.scratch), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <> struct kernel<op::blocked_matmul, device::cpu, types<float>> : packs_at_run<blocked_matmul_f32_kernel> {};
}  // namespace v1
}  // namespace inlay
