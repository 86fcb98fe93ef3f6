// InstanceNormalization and GroupNormalization of float32 on the CPU: a group at a time, which is contiguous in
// memory.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/group_normalization.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
template <class Op> struct group_normalization_f32_kernel : group_normalization_kernel<Op> {
    using params = group_normalization_params;
    struct state {
        const norm_f32_table* functions;
    };
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &norm_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const group_norm_f32_call call{a.in<float>(0), a.in<float>(1), a.in<float>(2), a.out<float>(0), p.groups,
                                       p.channels,     p.inner,        p.per_group,    p.epsilon};
        c.split(p.samples * p.groups, 1 + (1 << 13) / std::max<std::int64_t>(p.channels * p.inner, 1),
                [&](std::int64_t first, std::int64_t end, int) { s.functions->group_norm(call, first, end); });
        return status::ok;
    }
};
template <>
struct kernel<op::instance_normalization, device::cpu, types<float>>
    : group_normalization_f32_kernel<op::instance_normalization> {};
template <>
struct kernel<op::group_normalization, device::cpu, types<float>>
    : group_normalization_f32_kernel<op::group_normalization> {};
}  // namespace v1
}  // namespace inlay
