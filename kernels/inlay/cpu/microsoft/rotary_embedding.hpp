// RotaryEmbedding of com.microsoft, and what ONNX's shares with it, on the CPU: vectors of rotated pairs.
#pragma once
#include <inlay/cpu/isa/attention_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/microsoft/rotary_embedding.hpp>

namespace inlay {
inline namespace v1 {
template <class Op> struct turning_kernel : simple_kernel {
    using params = rotary_params;
    struct state {
        const attention_f32_table* functions;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        return kernel<Op, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        return kernel<Op, device::reference, types<float>>::prepare(n);
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &attention_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t* ids = p.ids_of(a);
        if (!p.within(ids)) return c.fail("a position is not in cos_cache");
        c.split(p.batches * p.rows * p.heads, 1 + 8192 / std::max<std::int64_t>(1, p.size),
                [&](std::int64_t first, std::int64_t end, int) {
                    for (std::int64_t i = first; i < end; ++i) {
                        const std::int64_t at = p.position_of(ids, i) * p.pairs;
                        s.functions->turn(a.in<float>(0) + i * p.size, a.in<float>(p.cosines) + at,
                                          a.in<float>(p.cosines + 1) + at, p.pairs, p.size, p.interleaved,
                                          a.out<float>(0) + i * p.size);
                    }
                });
        return status::ok;
    }
};
template <>
struct kernel<op::microsoft_rotary_embedding, device::cpu, types<float>>
    : turning_kernel<op::microsoft_rotary_embedding> {};
}  // namespace v1
}  // namespace inlay
