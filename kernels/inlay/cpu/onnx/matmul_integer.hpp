// MatMulInteger on the CPU. A fused node dequantizes the accumulators in place.
#pragma once
#include <inlay/cpu/support/integer_product.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/onnx/matmul_integer.hpp>

namespace inlay {
inline namespace v1 {
template <class A, class B, bool Fused> struct matmul_integer_kernel : simple_kernel {
    struct params {
        integer_product product;
        bool has_a_zero = false, has_b_zero = false, per_column = false, has_c = false;
    };
    using state = integer_product::weights;
    static constexpr unsigned packs = 1 << 1 | 1 << 3;
    static constexpr verdict supports(const node_view& v) { return Fused ? fused_matmul_integer_fits(v) : yes(); }
    static constexpr params prepare(const node_view& v) {
        const auto plain = matmul_integer_params::of(v);
        params p{{plain, v.input(0).dims, v.input(1).dims, v.input(0).type, v.input(1).type},
                 plain.a_zero.present,
                 plain.b_zero.present,
                 plain.per_column,
                 plain.has_c};
        p.product.a_zero = plain.a_zero;
        p.product.b_zero = plain.b_zero;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return p.product.footprint(l, threads);
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = p.product.pack(w.in<std::uint8_t>(1), p.has_b_zero ? w.in<std::uint8_t>(3) : nullptr, u);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const integer_product& q = p.product;
        float* const scratch = reinterpret_cast<float*>(c.scratch);
        const integer_product::operand x{a.in<std::uint8_t>(0), p.has_a_zero ? a.in<std::uint8_t>(2) : nullptr};
        q.begin(s, x, scratch, c);
        for (std::int64_t i = 0; i < q.batches && !c.stopped(); ++i) {
            float* const y = a.out<float>(0) + i * q.m * q.n;  // or what else is 4 bytes
            q.multiply(s, x, {}, scratch, i, 0, q.m, reinterpret_cast<std::int32_t*>(y), c);
            if constexpr (Fused)
                c.split(q.m, 16384 / std::max<std::int64_t>(1, q.n) + 1,
                        [&](std::int64_t first, std::int64_t end, int) {
                            s.table->scale(end - first, q.n, a.in<float>(4), p.per_column,
                                           p.has_c ? a.in<float>(5) : nullptr, y + first * q.n);
                        });
        }
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <class A, class B>
struct kernel<op::matmul_integer, device::cpu, types<A, B, std::int32_t>>
    : packs_at_run<matmul_integer_kernel<A, B, false>> {};
template <class A, class B>
struct kernel<op::fused_matmul_integer, device::cpu, types<A, B, float>>
    : packs_at_run<matmul_integer_kernel<A, B, true>> {};
}  // namespace v1
}  // namespace inlay
