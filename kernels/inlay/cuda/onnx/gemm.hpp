// Gemm of floating-point types, and with an activation, on CUDA through cuBLASLt. Limit: the device's rate of
// multiplications, for large matrices.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/finish.hpp>
#include <inlay/cuda/support/product.hpp>
#include <inlay/onnx/gemm.hpp>
#include <inlay/support/activation.hpp>

namespace inlay {
inline namespace v1 {
template <class T, bool Fused> struct gemm_on_cuda : simple_kernel {
    struct params : gemm_params {
        plain_activation activation{};
        // C as the library's own operand, or its vector per column; else the epilogue adds it.
        constexpr bool whole() const { return has_c && c_row == n && (c_column == 1 || n == 1); }
        constexpr bool per_column() const { return has_c && beta == 1 && c_row == 0 && c_column == 1; }
        constexpr product_shape product() const {
            return {element_of<T>,
                    m,
                    n,
                    k,
                    trans_a ? m : k,
                    trans_b ? k : n,
                    n,
                    trans_a,
                    trans_b,
                    1,
                    0,
                    0,
                    0,
                    float(alpha),
                    whole() ? float(beta) : 0.f,
                    per_column(),
                    activation,
                    has_c && !whole() && !per_column()};
        }
    };
    using state = bound_product;
    static constexpr unsigned packs = 1 << 1;
    static constexpr verdict supports(const node_view& n) {
        plain_activation activation;
        if (Fused && !plain_activation::read(n, activation)) return no("the activation is unknown");
        const gemm_params p = gemm_params::of(n);
        return p.m > 0 && p.n > 0 && p.k > 0 ? yes() : no("an empty matrix");
    }
    static constexpr params prepare(const node_view& n) {
        params p{gemm_params::of(n)};
        if (Fused) plain_activation::read(n, p.activation);
        return p;
    }
    static constexpr bool reduced(const params&) { return std::same_as<T, float>; }  // by the option `precision`
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        return s.bind(p.product(), w.in<T>(1), p.k * p.n, u);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const T* const addend = p.has_c ? a.in<T>(2) : nullptr;
        return s.run(p.product(), a.in<T>(0), a.inputs[1], 0, p.whole() ? addend : nullptr,
                     p.per_column() ? addend : nullptr, a.out<T>(0), c,
                     p.product().rest ? finishing{addend, p.c_row, p.c_column, float(p.beta), nullptr} : finishing{});
    }
};
template <> struct kernel<op::gemm, device::cuda, types<float>> : gemm_on_cuda<float, false> {};
template <> struct kernel<op::fused_gemm, device::cuda, types<float>> : gemm_on_cuda<float, true> {};
template <> struct kernel<op::gemm, device::cuda, types<float16>> : gemm_on_cuda<float16, false> {};
template <> struct kernel<op::fused_gemm, device::cuda, types<float16>> : gemm_on_cuda<float16, true> {};
template <> struct kernel<op::gemm, device::cuda, types<bfloat16>> : gemm_on_cuda<bfloat16, false> {};
template <> struct kernel<op::fused_gemm, device::cuda, types<bfloat16>> : gemm_on_cuda<bfloat16, true> {};
}  // namespace v1
}  // namespace inlay
