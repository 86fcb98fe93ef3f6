// SkipLayerNormalization and SkipSimplifiedLayerNormalization of float32 on the CPU: the sum of a row, then what
// normalises it while it is in the cache.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/microsoft/skip_layer_normalization.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
template <class Op> struct skip_normalization_f32_kernel : simple_kernel {
    using own = skip_normalization_kernel<Op, float>;
    using params = skip_normalization_params;
    struct state {
        const norm_f32_table* functions;
    };
    static constexpr verdict supports(const node_view& n) {
        return !Op::centred && (n.has_output(1) || n.has_output(2))
                   ? no("the reference kernel returns the mean and the root")
                   : yes();
    }
    static constexpr params prepare(const node_view& n) { return own::prepare(n); }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &norm_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        constexpr int bias_at = Op::centred ? 4 : 3;
        float* const sums = p.has.has_out(3) ? a.out<float>(3) : a.out<float>(0);
        const layer_norm_f32_call call{sums,
                                       a.in<float>(2),
                                       Op::centred ? p.has.in<float>(a, 3) : nullptr,
                                       a.out<float>(0),
                                       p.has.out<float>(a, 1),
                                       p.has.out<float>(a, 2),
                                       p.length,
                                       p.epsilon};
        c.split(p.rows, 1 + (1 << 13) / std::max<std::int64_t>(p.length, 1),
                [&](std::int64_t first, std::int64_t end, int) {
                    for (std::int64_t row = first; row < end; ++row) {
                        s.functions->add(a.in<float>(0) + row * p.length, a.in<float>(1) + row % p.skip_rows * p.length,
                                         p.has.in<float>(a, bias_at), sums + row * p.length, p.length);
                        if constexpr (Op::centred)
                            s.functions->layer_norm(call, row, row + 1);
                        else
                            s.functions->rms_norm(call, row, row + 1);
                    }
                });
        return status::ok;
    }
};
template <>
struct kernel<op::skip_layer_normalization, device::cpu, types<float>>
    : skip_normalization_f32_kernel<op::skip_layer_normalization> {};
template <>
struct kernel<op::skip_simplified_layer_normalization, device::cpu, types<float>>
    : skip_normalization_f32_kernel<op::skip_simplified_layer_normalization> {};
}  // namespace v1
}  // namespace inlay
