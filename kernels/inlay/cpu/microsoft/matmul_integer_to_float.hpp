// MatMulIntegerToFloat and DynamicQuantizeMatMul on the
// CPU: the accumulators are dequantized in place.
#pragma once
#include <inlay/cpu/onnx/dynamic_quantize_linear.hpp>
#include <inlay/cpu/support/integer_product.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/microsoft/matmul_integer_to_float.hpp>

namespace inlay {
inline namespace v1 {
struct product_to_floats : integer_product {
    line_values b_scale{};
    presence has{};
    constexpr std::int64_t factors() const { return b_scale.per_line ? b_matrices * n : 1; }
    static constexpr product_to_floats of(const node_view& v, const scaled_product& q) {
        product_to_floats p{{q.product, v.input(0).dims, v.input(1).dims, q.a, q.b}, q.scale, q.has};
        p.b_zero = q.zero;
        return p;
    }
    constexpr bytes_needed footprint(isa::level l, int threads) const {
        bytes_needed b = integer_product::footprint(l, threads);
        b.scratch += 4 * padded_floats(factors());
        return b;
    }
    // Into `to`; bias may be null; scratch: as footprint() has it.
    void run(const weights& w, const operand& x, float a_scale, const float* b_scales, const float* bias, float* to,
             float* scratch, context& c) const noexcept {
        float* const by = scratch;
        const std::int64_t columns = std::max<std::int64_t>(1, n);
        for (std::int64_t j = 0; j < factors(); ++j) by[j] = a_scale * b_scales[b_scale.at(j / columns, j % columns)];
        scratch += padded_floats(factors());
        begin(w, x, scratch, c);
        for (std::int64_t i = 0; i < batches && !c.stopped(); ++i) {
            float* const y = to + i * m * n;
            multiply(w, x, {}, scratch, i, 0, m, reinterpret_cast<std::int32_t*>(y), c);
            const float* const scales = by + (b_scale.per_line ? matrices(i).b * n : 0);
            c.split(m, 16384 / std::max<std::int64_t>(1, n) + 1, [&](std::int64_t first, std::int64_t end, int) {
                w.table->scale(end - first, n, scales, b_scale.per_line != 0, bias, y + first * n);
            });
        }
    }
};
struct matmul_integer_to_float_kernel : simple_kernel {
    using plain =
        kernel<op::matmul_integer_to_float, device::reference, types<quantized::byte, quantized::byte, float>>;
    using params = product_to_floats;
    using state = integer_product::weights;
    static constexpr unsigned packs = 1 << 1 | 1 << 5;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {2, 4})
            if (n.has_input(k) && n.input(k).dims.elements() != 1)
                return no("the fast kernel has one scale and zero point of A");
        return plain::supports(n);
    }
    static constexpr params prepare(const node_view& n) { return params::of(n, plain::prepare(n)); }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return p.footprint(l, threads);
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = p.pack(w.in<std::uint8_t>(1), p.has.in<std::uint8_t>(w, 5), u);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        p.run(s, {a.in<std::uint8_t>(0), p.has.in<std::uint8_t>(a, 4)}, *a.in<float>(2), a.in<float>(3),
              p.has.in<float>(a, 6), a.out<float>(0), reinterpret_cast<float*>(c.scratch), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <>
struct kernel<op::matmul_integer_to_float, device::cpu, types<quantized::byte, quantized::byte, float>>
    : packs_at_run<matmul_integer_to_float_kernel> {};
struct dynamic_quantize_matmul_kernel : simple_kernel {
    using plain = kernel<op::dynamic_quantize_matmul, device::reference, types<float, quantized::byte>>;
    struct params {
        product_to_floats product;
        std::int64_t count;  // of A's elements
    };
    struct state {
        integer_product::weights weights;
        dynamic_codes codes;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 3;
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) {
        const auto q = plain::prepare(n);
        return {product_to_floats::of(n, q), q.count};
    }
    static constexpr std::int64_t codes_room(const params& p) { return padded_floats((p.count + 3) / 4); }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        bytes_needed b = p.product.footprint(l, threads);
        b.scratch += 4 * (codes_room(p) + padded_floats(dynamic_codes::room(threads)));
        return b;
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {p.product.pack(w.in<std::uint8_t>(1), p.product.has.in<std::uint8_t>(w, 3), u), dynamic_codes(u.level)};
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float *const codes = reinterpret_cast<float*>(c.scratch), *const extrema = codes + codes_room(p);
        auto* const bytes = reinterpret_cast<std::uint8_t*>(codes);
        const dynamic_quantization q = s.codes.run(a.in<float>(0), p.count, bytes, extrema, c);
        p.product.run(s.weights, {bytes, &q.zero}, q.scale, a.in<float>(2), p.product.has.in<float>(a, 4),
                      a.out<float>(0), extrema + padded_floats(dynamic_codes::room(c.threads)), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <>
struct kernel<op::dynamic_quantize_matmul, device::cpu, types<float, quantized::byte>>
    : packs_at_run<dynamic_quantize_matmul_kernel> {};
}  // namespace v1
}  // namespace inlay
