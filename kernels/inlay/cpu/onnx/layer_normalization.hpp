// LayerNormalization of float32 on the CPU, where Scale and B hold one number per element of a row.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/layer_normalization.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::layer_normalization, device::cpu, types<float>> : layer_normalization_kernel {
    struct params {
        std::int64_t rows, length;
        double epsilon;
        presence has;
    };
    struct state {
        const norm_f32_table* functions;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = layer_normalization_kernel::supports(n); !v) return v;
        const auto p = layer_normalization_params::of(n);
        if (p.small_stash) return no("fast only where Mean and InvStdDev are float");
        return p.scale.per_row && p.shift.per_row
                   ? yes()
                   : no("fast only where Scale and B have the shape of the normalised axes");
    }
    static constexpr params prepare(const node_view& n) {
        const auto p = layer_normalization_params::of(n);
        return {p.rows, p.length, p.epsilon, p.has};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &norm_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const layer_norm_f32_call call{a.in<float>(0),
                                       a.in<float>(1),
                                       p.has.in<float>(a, 2),
                                       a.out<float>(0),
                                       p.has.out<float>(a, 1),
                                       p.has.out<float>(a, 2),
                                       p.length,
                                       p.epsilon};
        c.split(p.rows, 1 + (1 << 13) / std::max<std::int64_t>(p.length, 1),
                [&](std::int64_t first, std::int64_t end, int) { s.functions->layer_norm(call, first, end); });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
