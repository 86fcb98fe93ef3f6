// QLinearMatMul of 8-bit integers on the CPU, where A has one scale.
#pragma once
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/cpu/support/requantized_product.hpp>
#include <inlay/onnx/qlinear_matmul.hpp>

namespace inlay {
inline namespace v1 {
struct qlinear_matmul_u8_kernel : simple_kernel {
    using plain =
        kernel<op::qlinear_matmul, device::reference, types<quantized::byte, quantized::byte, quantized::byte>>;
    struct params {
        requantized_product product;
        line_values b_scale;
        element a_scale, b_scales, y_scale, y;  // types
        constexpr std::int64_t factors() const { return b_scale.per_line ? product.b_matrices * product.n : 1; }
    };
    using state = requantized_product::state;
    static constexpr unsigned packs = 1 << 3 | 1 << 5;
    static constexpr verdict supports(const node_view& n) {
        if (n.input(1).dims.elements() != 1) return no("the fast kernel has one scale of A");
        return plain::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        const auto q = plain::prepare(n);
        params p{{{q.product, n.input(0).dims, n.input(3).dims, q.a.type, q.b.type}},
                 q.b.scale,
                 q.a.scale_type,
                 q.b.scale_type,
                 q.y_scale,
                 q.y};
        p.product.a_zero = q.a.zero;
        p.product.b_zero = q.b.zero;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return p.product.footprint(l, threads, p.factors());
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        p.product.bind(w.in<std::uint8_t>(3), w.in<std::uint8_t>(5), p.y, u, s);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float* const by = reinterpret_cast<float*>(c.scratch);
        const auto scale = [&](element e, int k, std::int64_t i) {
            return static_cast<float>(quantized::load(e, a.inputs[k], i));
        };
        const float a_scale = scale(p.a_scale, 1, 0), y_scale = scale(p.y_scale, 6, 0);
        const std::int64_t count = p.factors(), columns = std::max<std::int64_t>(1, p.product.n);
        for (std::int64_t j = 0; j < count; ++j)
            by[j] = a_scale * scale(p.b_scales, 4, p.b_scale.at(j / columns, j % columns)) / y_scale;
        p.product.run(s, {a.in<std::uint8_t>(0), a.in<std::uint8_t>(2)}, {},
                      {by, p.b_scale.per_line != 0, quantized::bytes(p.y).at(a, 7, 0), a.out<std::uint8_t>(0)},
                      by + padded_floats(count), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <>
struct kernel<op::qlinear_matmul, device::cpu, types<quantized::byte, quantized::byte, quantized::byte>>
    : packs_at_run<qlinear_matmul_u8_kernel> {};
}  // namespace v1
}  // namespace inlay
