// Matmuls of one A on the CPU: their weights are packed one after the other, and the threads share out all columns
// together.
#pragma once
#include <inlay/cpu/support/dense.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/fused/joined_matmul.hpp>

namespace inlay {
inline namespace v1 {
struct joined_matmul_f32_kernel : joined_matmul_kernel {
    struct params : joined_matmul_params {
        bool bf16 = false;  // B is kept as bf16
        constexpr gemm_f32_depth depth() const { return {1, 1, k}; }
        constexpr std::int64_t packed(isa::level l, int i) const { return packed_floats(bf16, l, depth(), n[i]); }
        constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l); }  // A
        constexpr std::int64_t part_room(isa::level l) const {
            return gemm_f32_scratch(l, depth(), k, m, rounds(l));
        }  // the rows that a part copies
    };
    struct state {
        const gemm_f32_table* table = nullptr;
        isa::level level{};
        const float* panels = nullptr;
    };
    static constexpr unsigned packs = 0b10101010;
    static constexpr params prepare(const node_view& n) {
        return {params::of(n), n.graph.precision == precision::bfloat16};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        std::int64_t floats = 0;
        for (int i = 0; i < p.count; ++i) floats += p.packed(l, i);
        return {4 * floats, 4 * threads * p.part_room(l)};
    }
    static constexpr bool reduced(const params& p) { return p.bf16; }
    static constexpr weight_formats needs(const params& p) { return {!p.bf16, p.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* panels = reinterpret_cast<float*>(u.storage);
        s = {&gemm_table<Linked>(p.bf16, u.level), u.level, panels};
        for (int i = 0; i < p.count; panels += p.packed(u.level, i++))
            u.split(gemm_f32_panels(u.level, p.n[i]), packing_grain(u.level, p.depth()),
                    [&](std::int64_t first, std::int64_t end, int) {
                        s.table->pack({w.in<float>(p.b(i)), p.n[i], 1, 0, p.n[i]}, p.depth(), first, end, panels);
                    });
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        std::array<gemm_f32_call, params::most> calls{};
        const float* panels = s.panels;
        for (int i = 0; i < p.count; panels += p.packed(s.level, i++)) {
            calls[i] = {a.in<float>(0),
                        0,
                        p.k,
                        p.m,
                        p.depth(),
                        0,
                        0,
                        {panels},
                        p.n[i],
                        p.has.in<float>(a, p.c(i)),
                        nullptr,
                        0,
                        a.out<float>(i),
                        p.n[i],
                        {}};
            calls[i].rounds = p.rounds(s.level);
        }
        multiply_all(*s.table, s.level, std::span(calls.data(), std::size_t(p.count)), p.m,
                     p.part_room(s.level) ? reinterpret_cast<float*>(c.scratch) : nullptr, p.part_room(s.level), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <> struct kernel<op::joined_matmul, device::cpu, types<float>> : packs_at_run<joined_matmul_f32_kernel> {};
}  // namespace v1
}  // namespace inlay
