// Attention of com.microsoft on the CPU: a matmul by packed weights, then MultiHeadAttention's kernel.
#pragma once
#include <inlay/cpu/microsoft/multi_head_attention.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/microsoft/attention.hpp>

namespace inlay {
inline namespace v1 {
struct microsoft_attention_f32_kernel : simple_kernel {
    using heads_kernel = kernel<op::multi_head_attention, device::cpu, types<float>>;
    struct params {
        microsoft_attention_params base;
        heads_kernel::params heads;
        bool bf16 = false;  // the weights are kept as bf16
        constexpr gemm_f32_depth depth() const { return {1, 1, base.width}; }
        constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l); }
        // Scratch, in float32 elements: the projection, the created mask, rows of the input as each part needs them.
        constexpr std::int64_t projected() const { return padded_floats(base.rows() * base.columns); }
        constexpr std::int64_t masked() const { return padded_floats(base.mask_elements()); }
        constexpr std::int64_t part_room(isa::level l) const {
            return gemm_f32_scratch(l, depth(), base.width, base.rows(), rounds(l));
        }
    };
    struct state {
        attention_tables tables{};
        const gemm_f32_table* gemm = nullptr;
        const float* panels = nullptr;
    };
    static constexpr unsigned packs = 1 << 1;
    static constexpr verdict supports(const node_view& n) {
        return kernel<op::microsoft_attention, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        microsoft_attention_params base;
        (void)base.read(n);
        const bool bf16 = n.graph.precision == precision::bfloat16;
        return {base, heads_kernel::of(base.heads, bf16), bf16};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        const std::int64_t rest =
            std::max(4 * threads * p.part_room(l), heads_kernel::footprint(p.heads, l, threads).scratch);
        return {4 * packed_floats(p.bf16, l, p.depth(), p.base.columns), 4 * (p.projected() + p.masked()) + rest};
    }
    static constexpr bool reduced(const params& p) { return p.bf16; }
    static constexpr weight_formats needs(const params& p) { return {true, p.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* panels = reinterpret_cast<float*>(u.storage);
        s = {attention_tables::of<Linked>(u.level), &gemm_table<Linked>(p.bf16, u.level), panels};
        u.split(gemm_f32_panels(u.level, p.base.columns), packing_grain(u.level, p.depth()),
                [&](std::int64_t first, std::int64_t end, int) {
                    s.gemm->pack({w.in<float>(1), p.base.columns, 1, 0, p.base.columns}, p.depth(), first, end, panels);
                });
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const microsoft_attention_params& o = p.base;
        const isa::level l = s.tables.level;
        std::byte* const scratch = c.scratch;
        float *const qkv = reinterpret_cast<float*>(scratch), *const rest = qkv + p.projected() + p.masked();
        gemm_f32_call call =
            plain_product(a.in<float>(0), o.width, o.rows(), p.depth(), {s.panels}, o.columns, qkv, o.columns);
        call.bias = o.has.in<float>(a, 2);
        call.rounds = p.rounds(l);
        multiply_all(*s.gemm, l, std::span(&call, 1), o.rows(), p.part_room(l) ? rest : nullptr, p.part_room(l), c);
        if (o.turned > 0)
            c.split(o.rows(), 1, [&](std::int64_t first, std::int64_t end, int) {
                for (std::int64_t i = first; i < end; ++i)
                    o.turn(qkv + i * o.columns, o.heads.past + i % o.heads.q.rows);
            });
        if (c.stopped()) return status::stopped;
        std::int32_t* mask = nullptr;
        if (o.form != microsoft_attention_params::as_it_is) {
            mask = reinterpret_cast<std::int32_t*>(qkv + p.projected());
            o.write_mask(a.in<std::int32_t>(3), mask);
        }
        c.scratch = reinterpret_cast<std::byte*>(rest);
        const status result =
            o.attend(a, qkv, mask, [&](const arguments& b) { return heads_kernel::run(p.heads, s.tables, b, c); });
        c.scratch = scratch;
        return result;
    }
};
template <>
struct kernel<op::microsoft_attention, device::cpu, types<float>> : packs_at_run<microsoft_attention_f32_kernel> {};
}  // namespace v1
}  // namespace inlay
