// MatMul of floating-point types, also with bias, residual and activation, on CUDA through cuBLASLt, in batches as long
// as their steps are even. Limit: the device's rate of multiplications for large matrices, the bytes of B for few rows.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/product.hpp>
#include <inlay/onnx/matmul.hpp>

namespace inlay {
inline namespace v1 {
template <class T, bool Fused> struct matmul_on_cuda : simple_kernel {
    struct params : matmul_params {
        presence has{};
        plain_activation activation{};
        std::int64_t even = 1;                    // batches of one call
        std::int64_t a_stride = 0, b_stride = 0;  // between its matrices
        std::int64_t b_elements = 0;              // of all of them
        constexpr product_shape product() const {
            return {element_of<T>,
                    m,
                    n,
                    k,
                    k,
                    n,
                    n,
                    false,
                    false,
                    even,
                    a_stride * m * k,
                    b_stride * k * n,
                    m * n,
                    1,
                    has.has_in(3) ? 1.f : 0.f,
                    has.has_in(2),
                    activation};
        }
    };
    using state = bound_product;
    static constexpr unsigned packs = 1 << 1;
    static constexpr verdict supports(const node_view& v) {
        plain_activation activation;
        if (Fused && !plain_activation::read(v, activation)) return no("the activation is unknown");
        const matmul_params p = matmul_params::of(v);
        if (p.m < 1 || p.n < 1 || p.k < 1 || p.batches < 1) return no("an empty matrix");
        if (p.batches > std::numeric_limits<std::int32_t>::max()) return no("too many matrices");
        return Fused ? fused_matmul_fits(v) : yes();
    }
    static constexpr params prepare(const node_view& v) {
        params p{matmul_params::of(v)};
        if (Fused) {
            p.has = presence(v);
            plain_activation::read(v, p.activation);
        }
        const shape& b = v.input(1).dims;
        p.b_elements = b.elements();
        if (b.elements(0, b.rank > 2 ? b.rank - 2 : 0) ==
            1) {  // then A's matrices lie in the order of the result's: one matrix of all their rows
            p.m *= p.batches;
            p.batches = 1;
            p.batch.rank = 0;
        }
        for (int i = p.batch.rank - 1; i >= 0; --i) {  // the last axes, as long as each operand's steps continue evenly
            if (p.batch[i] == 1) continue;
            const bool first = p.even == 1;
            if (!first && (p.a_step[i] != p.a_stride * p.even || p.b_step[i] != p.b_stride * p.even)) break;
            if (first) {
                p.a_stride = p.a_step[i];
                p.b_stride = p.b_step[i];
            }
            p.even *= p.batch[i];
        }
        return p;
    }
    static constexpr bool reduced(const params&) { return std::same_as<T, float>; }  // by the option `precision`
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        return s.bind(p.product(), w.in<T>(1), p.b_elements, u);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const T *const bias = p.has.template in<T>(a, 2), *const addend = p.has.template in<T>(a, 3);
        for (std::int64_t i = 0; i < p.batches; i += p.even) {
            const auto at = p.matrices(i);
            const std::int64_t to = i * p.m * p.n;
            const status result = s.run(p.product(), a.in<T>(0) + at.a * p.m * p.k, a.inputs[1], at.b * p.k * p.n,
                                        addend ? addend + to : nullptr, bias, a.out<T>(0) + to, c);
            if (result != status::ok) return result;
        }
        return status::ok;
    }
};
template <> struct kernel<op::matmul, device::cuda, types<float>> : matmul_on_cuda<float, false> {};
template <> struct kernel<op::fused_matmul, device::cuda, types<float>> : matmul_on_cuda<float, true> {};
template <> struct kernel<op::matmul, device::cuda, types<float16>> : matmul_on_cuda<float16, false> {};
template <> struct kernel<op::fused_matmul, device::cuda, types<float16>> : matmul_on_cuda<float16, true> {};
template <> struct kernel<op::matmul, device::cuda, types<bfloat16>> : matmul_on_cuda<bfloat16, false> {};
template <> struct kernel<op::fused_matmul, device::cuda, types<bfloat16>> : matmul_on_cuda<bfloat16, true> {};
}  // namespace v1
}  // namespace inlay
