// MatMulNBits on the CPU, by packed weights. With accuracy_level 4, rows of A are rounded to int8 per block, where the
// level has int8 dot products; with 3 and 4, and with precision::bfloat16, many rows and the weights to bf16 where the
// level has bf16 matrix tiles. All else is computed in float32.
#pragma once
#include <inlay/cpu/support/nbits.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/microsoft/matmul_nbits.hpp>

namespace inlay {
inline namespace v1 {
// The arguments of matmuls by weights of this form.
struct packed_nbits {
    static constexpr nbits_zeros zeros_of(const node_view& n, const nbits_params& p) {
        return !n.has_input(p.first + 2) ? nbits_zeros::none
               : p.packed_zeros          ? nbits_zeros::bytes
                                         : nbits_zeros::numbers;
    }
    static constexpr nbits_product product(const node_view& n, const nbits_params& p) {
        const std::int64_t accuracy = n.graph.precision == precision::strict ? 0 : n.integer("accuracy_level", 0);
        return {p.n,
                p.k,
                p.block,
                p.bits,
                zeros_of(n, p),
                accuracy == 4,
                accuracy == 3 || accuracy == 4 || n.graph.precision == precision::bfloat16};
    }

    const nbits_params& p;
    const std::uint8_t *codes, *zeros;
    const float *scales, *numbers;
    packed_nbits(const nbits_params& params, const constants& w)
        : p(params),
          codes(w.in<std::uint8_t>(p.first)),
          zeros(p.packed_zeros ? w.in<std::uint8_t>(p.first + 2) : nullptr),
          scales(w.in<float>(p.first + 1)),
          numbers(p.packed_zeros ? nullptr : p.has.in<float>(w, p.first + 2)) {}
    float scale(std::int64_t row, std::int64_t b) const { return scales[row * p.blocks + b]; }
    float zero(std::int64_t row, std::int64_t b) const {
        return zeros ? float(p.code(zeros + row * p.zero_bytes(), b)) : numbers[row * p.blocks + b];
    }
};
struct matmul_nbits_f32_kernel : simple_kernel {
    struct params : nbits_params {
        nbits_product product{};
    };
    struct state {
        isa::level level{};
        const float* strips = nullptr;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 2 | 1 << 3;
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(4)) return no("fast only without g_idx");
        return kernel<op::matmul_nbits, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p{kernel<op::matmul_nbits, device::reference, types<float>>::prepare(n)};
        p.product = packed_nbits::product(n, p);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.product.packed(l), 4 * p.product.scratch(l, p.m, threads)};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* const strips = reinterpret_cast<float*>(u.storage);
        const packed_nbits b(p, w);
        p.product.pack(
            u, strips, p.product.words_at(b.codes, p.row_bytes()),
            [&](std::int64_t row, std::int64_t i) { return b.scale(row, i); },
            [&](std::int64_t row, std::int64_t i) { return b.zero(row, i); });
        s = {u.level, strips};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        p.product.run(s.level, s.strips, a.in<float>(0), p.k, p.m, p.has.in<float>(a, 5), a.out<float>(0), p.n,
                      reinterpret_cast<float*>(c.scratch), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <> struct kernel<op::matmul_nbits, device::cpu, types<float>> : packs_at_run<matmul_nbits_f32_kernel> {};
}  // namespace v1
}  // namespace inlay
