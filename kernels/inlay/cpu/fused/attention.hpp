// Attention on the CPU, by the shared attention core.
#pragma once
#include <inlay/cpu/support/attention.hpp>
#include <inlay/fused/attention.hpp>

namespace inlay {
inline namespace v1 {
template <class Mask>
struct kernel<op::attention, device::cpu, types<float, Mask>> : attention_core_kernel<attention_kernel> {
    struct params {
        attention_core core;
        std::int64_t q, k, v;  // where the first rows begin
        bool masked;
    };
    static constexpr params prepare(const node_view& n) {
        const attention_params p = make(n);
        const auto operand = [](const attention_params::operand& o) {
            return attention_core::operand{o.batch, o.head, o.row};
        };
        attention_core c;
        c.q = operand(p.q);
        c.k = operand(p.k);
        c.v = operand(p.v);
        c.mask = operand(p.mask);
        c.mask_column = p.mask.column;
        c.y = {p.rows * p.heads * p.value_size, p.value_size, p.heads * p.value_size};
        c.batches = p.batches;
        c.heads = c.groups = p.heads;
        c.rows = p.rows;
        c.keys = p.keys;
        c.size = p.size;
        c.value_size = p.value_size;
        c.scale = p.scale;
        c.fill = p.fill;
        c.fills = p.fills;
        c.bf16 = n.graph.precision == precision::bfloat16;
        return {c, p.q.at, p.k.at, p.v.at, p.masked};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, p.core.bytes(l, threads)};
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        attention_operands o{a.in<float>(0) + p.q, a.in<float>(1) + p.k, a.in<float>(2) + p.v, a.out<float>(0)};
        if constexpr (std::is_same_v<Mask, bool>)
            o.truths = p.masked ? a.in<std::uint8_t>(3) : nullptr;
        else
            o.add = p.masked ? a.in<float>(3) : nullptr;
        return attention_of_core<attention_hooks>(p.core, s, o, {}, c).run(c.scratch);
    }
};
}  // namespace v1
}  // namespace inlay
