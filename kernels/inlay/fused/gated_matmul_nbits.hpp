// inlay.GatedMatMulNBits (1): Y = activation(A G' + C) * (A U' + D), where G and U are quantized in blocks as those of
// MatMulNBits, with its attributes and those of plain_activation: decoders have it between two projections (SwiGLU,
// GeGLU). Only the passes write it.
//   Inputs: A, then B, scales, zero_points and bias of the gate, and the same of its multiplicand. Zero points and
// biases may be absent.
#pragma once
#include <inlay/microsoft/matmul_nbits.hpp>
#include <inlay/support/activation.hpp>

namespace inlay {
inline namespace v1 {
struct gated_nbits_params {
    nbits_params gate{}, up{};
    plain_activation activation{};
    static constexpr int bias(const nbits_params& p) { return p.first + 3; }
    constexpr verdict read(const node_view& n) {
        gate.first = 1;
        up.first = 5;
        if (const verdict v = gate.read(n); !v) return v;
        if (const verdict v = up.read(n); !v) return v;
        return plain_activation::read(n, activation) ? yes() : no("the activation is unknown");
    }
};
namespace op {
struct gated_matmul_nbits : standard {
    static constexpr std::string_view onnx_name = "GatedMatMulNBits", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;  // and 5 and 6: those between may be absent
    static constexpr operator_facts facts{.mixes_rows = row_mixing::kernels};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2, 5, 6})
            if (!n.has_input(k)) return no("A, B or scales is missing");
        gated_nbits_params p;
        if (const verdict v = p.read(n); !v) return v;
        for (const nbits_params* of : {&p.gate, &p.up}) {
            if (const verdict v = of->fits(n); !v) return v;
            if (!of->counts_of(n, p.bias(*of), of->n)) return no("a bias must have N numbers");
        }
        return shape_of_product(n.input(0).dims, p.up.k, p.up.n, "the last axis of A must be K long", y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return 2 * flop_of_products(s); }
};
}  // namespace op

struct gated_nbits_kernel : simple_kernel {
    static constexpr verdict supports(const node_view& n) {
        shape y;
        if (const verdict v = op::gated_matmul_nbits::shapes(n, std::span(&y, 1)); !v) return v;
        gated_nbits_params p;
        (void)p.read(n);
        for (const nbits_params* of : {&p.gate, &p.up}) {
            if (const verdict v = of->types_fit(n); !v) return v;
            if (n.has_input(p.bias(*of)) && n.input(p.bias(*of)).type != n.input(0).type)
                return no("A, scales and bias must have one type");
        }
        return y == n.output(0).dims ? yes() : no("the result has another shape than the product");
    }
    static constexpr gated_nbits_params sizes(const node_view& n) {
        gated_nbits_params p;
        (void)p.read(n);
        p.gate.m = p.up.m = n.input(0).dims.elements(0, n.input(0).dims.rank - 1);
        return p;
    }
};
template <class T> struct kernel<op::gated_matmul_nbits, device::reference, types<T>> : gated_nbits_kernel {
    using params = gated_nbits_params;
    static constexpr params prepare(const node_view& n) { return sizes(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * 2 * p.up.k * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t m = p.up.m, n = p.up.n, k = p.up.k;
        c.split(n, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check ends(c);
            float *const gate = reinterpret_cast<float*>(c.scratch) + part * 2 * k, *const up = gate + k;
            const auto sum = [&](const nbits_params& of, const float* weights, std::int64_t i, std::int64_t j) {
                const T* const bias = of.has.in<T>(a, p.bias(of));
                float accumulator = 0;
                for (std::int64_t l = 0; l < k; ++l)
                    accumulator += static_cast<float>(a.in<T>(0)[i * k + l]) * weights[l];
                return bias ? accumulator + static_cast<float>(bias[j]) : accumulator;
            };
            for (std::int64_t j = first; j < end; ++j) {
                if (ends(2 * k * (m + 1))) return;
                p.gate.unpack<T>(a, j, nullptr, gate);
                p.up.unpack<T>(a, j, nullptr, up);
                for (std::int64_t i = 0; i < m; ++i)
                    a.out<T>(0)[i * n + j] =
                        static_cast<T>(p.activation(sum(p.gate, gate, i, j)) * sum(p.up, up, i, j));
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
