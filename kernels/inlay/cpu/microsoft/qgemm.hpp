// QGemm on the CPU, where A is multiplied in place.
#pragma once
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/cpu/support/requantized_product.hpp>
#include <inlay/microsoft/qgemm.hpp>

namespace inlay {
inline namespace v1 {
struct qgemm_u8_kernel : simple_kernel {
    using plain = kernel<op::qgemm, device::reference, types<quantized::byte, quantized::byte>>;
    struct params {
        requantized_product product;
        plain::params of;
        constexpr std::int64_t factors() const { return of.scale_step ? of.n : 1; }
    };
    using state = requantized_product::state;
    static constexpr unsigned packs = 1 << 3 | 1 << 5;
    static constexpr verdict supports(const node_view& n) {
        if (n.integer("transA", 0) != 0) return no("the fast kernel has no transA");
        return plain::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        const plain::params q = plain::prepare(n);
        const shape a{q.m, q.k}, b{q.k, q.n}, y{q.m, q.n};
        params p{{{matmul_params::of(a, b, y), a, b, q.a, q.b}}, q};
        p.product.b_zero.per_line = q.zero_step;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return p.product.footprint(l, threads, p.factors());
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        p.product.bind(w.in<std::uint8_t>(3), w.in<std::uint8_t>(5), p.of.y, u, s, p.of.trans_b);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const auto& q = p.of;
        float *const by = reinterpret_cast<float*>(c.scratch), *const scratch = by + padded_floats(p.factors());
        const float a_scale = *a.in<float>(1);
        for (std::int64_t j = 0; j < p.factors(); ++j) by[j] = plain::factor(q, a, a_scale, j);
        const integer_product::operand x{a.in<std::uint8_t>(0), a.in<std::uint8_t>(2)};
        const integer_product::addend from{q.has.in<std::int32_t>(a, 6), q.c_row, q.c_column};
        const bool per_column = q.scale_step != 0;
        if (q.has.has_in(7)) {
            const quantized::linear_code y(q.y, a, 7, 8, q.has);
            p.product.run(s, x, from, {by, per_column, y.zero, a.out<std::uint8_t>(0)}, scratch, c);
        } else {
            float* const y = a.out<float>(0);
            p.product.begin(s.weights, x, scratch, c);
            p.product.multiply(s.weights, x, from, scratch, 0, 0, q.m, reinterpret_cast<std::int32_t*>(y), c);
            c.split(q.m, 16384 / std::max<std::int64_t>(1, q.n) + 1, [&](std::int64_t first, std::int64_t end, int) {
                s.weights.table->scale(end - first, q.n, by, per_column, nullptr, y + first * q.n);
            });
        }
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <>
struct kernel<op::qgemm, device::cpu, types<quantized::byte, quantized::byte>> : packs_at_run<qgemm_u8_kernel> {};
}  // namespace v1
}  // namespace inlay
