// GatedMatMulNBits on the CPU, as one matmul by MatMulNBits' kernels: strips of the gate's weights and of the others
// are interleaved, so that a gate and what it multiplies are computed together and combined while in the cache.
#pragma once
#include <inlay/cpu/microsoft/matmul_nbits.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/fused/gated_matmul_nbits.hpp>
#include <bit>

namespace inlay {
inline namespace v1 {
struct gated_nbits_f32_kernel : gated_nbits_kernel {
    struct params : gated_nbits_params {
        nbits_product product{};  // n: of one of the two
        epilogue end{};
        constexpr bool biased() const { return gate.has.has_in(bias(gate)) || up.has.has_in(bias(up)); }
        constexpr nbits_product both(isa::level l) const {
            nbits_product p = product;
            p.n = 2 * gemm_f32_padded(l, product.n);
            return p;
        }
    };
    struct state {
        isa::level level{};
        const float *strips = nullptr, *bias = nullptr;
    };
    static constexpr unsigned packs = 0b1'1111'1110;
    static constexpr verdict supports(const node_view& n) {
        gated_nbits_params p;
        (void)p.read(n);
        if (packed_nbits::zeros_of(n, p.gate) != packed_nbits::zeros_of(n, p.up))
            return no("zero points of the two are of different kinds");
        return gated_nbits_kernel::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p{sizes(n)};
        p.product = packed_nbits::product(n, p.up);
        (void)read_epilogue(n, p.end);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        const nbits_product product = p.both(l);
        return {4 * (product.packed(l) + (p.biased() ? padded_floats(product.n) : 0)),
                4 * product.scratch_of_gated(l, p.up.m, threads)};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        const nbits_product product = p.both(u.level);
        float *const strips = reinterpret_cast<float*>(u.storage), *const bias = strips + product.packed(u.level);
        const packed_nbits of[] = {{p.gate, w}, {p.up, w}};
        const std::int64_t lanes = gemm_f32_lanes(u.level), n = p.product.n;
        const int bits = std::countr_zero(std::uint64_t(lanes));  // divisions would cost as much as all else
        const auto side = [=](std::int64_t column) { return column >> bits & 1; };
        const auto local_column = [=](std::int64_t column) {
            return (column >> (bits + 1) << bits) + (column & (lanes - 1));
        };
        product.pack(
            u, strips,
            [&](std::int64_t column, std::int64_t columns, std::int64_t first, std::int64_t count, float* to,
                std::int64_t step) {
                const std::int64_t at = local_column(column), column_count = std::min(columns, n - at);
                product.words_at(of[side(column)].codes, p.up.row_bytes())(at, column_count, first, count, to, step);
                for (std::int64_t word = 0; word < count; ++word)
                    std::fill(to + word * step + column_count, to + word * step + columns, 0.f);
            },
            [&](std::int64_t column, std::int64_t b) {
                return local_column(column) < n ? of[side(column)].scale(local_column(column), b) : 0;
            },
            [&](std::int64_t column, std::int64_t b) {
                return local_column(column) < n ? of[side(column)].zero(local_column(column), b) : 0;
            });
        for (std::int64_t j = 0; p.biased() && j < product.n; ++j) {
            const nbits_params& half = side(j) ? p.up : p.gate;
            const float* const numbers = half.has.in<float>(w, p.bias(half));
            bias[j] = numbers && local_column(j) < n ? numbers[local_column(j)] : 0;
        }
        s = {u.level, strips, p.biased() ? bias : nullptr};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        p.both(s.level).run_gated(s.level, s.strips, a.in<float>(0), p.up.m, s.bias, {p.end, a.out<float>(0), p.up.n},
                                  reinterpret_cast<float*>(c.scratch), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <> struct kernel<op::gated_matmul_nbits, device::cpu, types<float>> : packs_at_run<gated_nbits_f32_kernel> {};
}  // namespace v1
}  // namespace inlay
