// QLinearSigmoid and QLinearLeakyRelu on the CPU, in any layout: a lookup table of 256 values.
#pragma once
#include <inlay/cpu/support/code_tables.hpp>
#include <inlay/microsoft/qlinear_unary.hpp>

namespace inlay {
inline namespace v1 {
template <class Op> struct qlinear_unary_kernel : looked_up<kernel<Op, device::reference, types<quantized::byte>>> {
    using base = looked_up<kernel<Op, device::reference, types<quantized::byte>>>;
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status run(const typename base::params& p, const typename base::state& s, const arguments& a,
                      context& c) noexcept {
        const std::uint8_t* const codes = base::tables(p, s, a, c);
        c.split(p.of.count, 1 << 16, [&](std::int64_t first, std::int64_t end, int) {
            s.table->run(codes, a.in<std::uint8_t>(0) + first, a.out<std::uint8_t>(0) + first, end - first);
        });
        return status::ok;
    }
};
template <>
struct kernel<op::qlinear_sigmoid, device::cpu, types<quantized::byte>> : qlinear_unary_kernel<op::qlinear_sigmoid> {};
template <>
struct kernel<op::qlinear_leaky_relu, device::cpu, types<quantized::byte>>
    : qlinear_unary_kernel<op::qlinear_leaky_relu> {};
}  // namespace v1
}  // namespace inlay
