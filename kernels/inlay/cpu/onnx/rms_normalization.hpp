// RMSNormalization of float32 on the CPU, where scale holds one number per element of a row.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/rms_normalization.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::rms_normalization, device::cpu, types<float, float>> : rms_rows_kernel {
    struct state {
        const norm_f32_table* functions;
    };
    static constexpr verdict supports(const node_view& n) {
        return fits(n, "fast only where scale has the shape of the normalised axes");
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &norm_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const layer_norm_f32_call call{a.in<float>(0), a.in<float>(1), nullptr,  a.out<float>(0),
                                       nullptr,        nullptr,        p.length, p.epsilon};
        c.split(p.rows, 1 + (1 << 13) / std::max<std::int64_t>(p.length, 1),
                [&](std::int64_t first, std::int64_t end, int) { s.functions->rms_norm(call, first, end); });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
