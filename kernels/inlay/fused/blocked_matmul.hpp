// inlay.BlockedMatMul (1): Y = A W + bias, W = (values - zero points) * scales, where the values are 4-bit integers of
// either sign, with one scale and zero point for each block along K: DequantizeLinear and MatMul without the
// dequantized matrix between them. Only the passes write it. The values are [K, N] with axis 0, [N, K] with axis 1, and
// scales and zero points likewise, of blocks along the axis.
//   Inputs: A, quantized values, scales, zero points or -1 (0), bias or -1.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/shape_of_product.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct blocked_matmul_params {
    std::int64_t m = 0, n = 0, k = 0, block = 0, blocks = 0;
    bool by_columns = false, is_signed = false;  // by_columns: the values of a column are contiguous
    presence has{};

    constexpr verdict read(const node_view& v) {
        const shape &codes = v.input(1).dims, &scales = v.input(2).dims;
        const std::int64_t axis = v.integer("axis", -1);
        block = v.integer("block_size", 0);
        if (axis != 0 && axis != 1) return no("axis must be 0 or 1");
        if (block < 16 || block % 16 != 0) return no("block_size must be a multiple of 16");
        if (codes.rank != 2 || !codes.known() || codes.elements() < 1) return no("the codes must be a matrix");
        by_columns = axis == 1;
        k = codes[int(axis)];
        n = codes[int(1 - axis)];
        blocks = k / block + (k % block != 0);
        is_signed = v.input(1).type == element::i4;
        has = presence(v);
        const shape parts = by_columns ? shape{n, blocks} : shape{blocks, n};
        if (scales.known() && scales != parts) return no("there must be one scale for each block");
        if (has.has_in(3) && v.input(3).dims.known() && v.input(3).dims != parts)
            return no("there must be one zero point for each block");
        if (has.has_in(4) && v.input(4).dims.known() && v.input(4).dims.elements() != n)
            return no("the bias must have one number per column");
        return yes();
    }
    static constexpr int code(const std::uint8_t* codes, std::int64_t i) { return codes[i / 2] >> (i % 2 * 4) & 15; }
    // As values from 0 to 15, of which a signed one is 8 more than it was.
    constexpr int from_zero(int code) const { return is_signed ? code ^ 8 : code; }
    constexpr std::int64_t at(std::int64_t row, std::int64_t column) const {
        return by_columns ? column * k + row : row * n + column;
    }
    constexpr std::int64_t block_at(std::int64_t b, std::int64_t column) const {
        return by_columns ? column * blocks + b : b * n + column;
    }
    constexpr int zero(const std::uint8_t* zeros, std::int64_t b, std::int64_t column) const {
        return from_zero(zeros ? code(zeros, block_at(b, column)) : 0);
    }
};
namespace op {
struct blocked_matmul : standard {
    static constexpr std::string_view onnx_name = "BlockedMatMul", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.mixes_rows = row_mixing::kernels};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        blocked_matmul_params p;
        if (const verdict v = p.read(n); !v) return v;
        return shape_of_product(n.input(0).dims, p.k, p.n, "the operands disagree on the axis that is summed over",
                                y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

struct blocked_matmul_kernel : simple_kernel {
    static constexpr verdict supports(const node_view& n) {
        const element code = n.input(1).type;
        if (code != element::i4 && code != element::u4) return no("the codes must be of 4 bits");
        if (n.has_input(3) && n.input(3).type != code)
            return no("zero points are of another type than the quantized values");
        if (n.input(2).type != n.input(0).type || (n.has_input(4) && n.input(4).type != n.input(0).type))
            return no("A, scales and bias must have one type");
        shape y;
        const verdict v = op::blocked_matmul::shapes(n, std::span(&y, 1));
        return !v || y == n.output(0).dims ? v : no("the result has another shape than the product");
    }
    static constexpr blocked_matmul_params sizes(const node_view& n) {
        blocked_matmul_params p;
        (void)p.read(n);
        p.m = n.input(0).dims.elements(0, n.input(0).dims.rank - 1);
        return p;
    }
};
template <class T> struct kernel<op::blocked_matmul, device::reference, types<T>> : blocked_matmul_kernel {
    using params = blocked_matmul_params;
    static constexpr params prepare(const node_view& n) { return sizes(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * p.k * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto *codes = a.in<std::uint8_t>(1), *zeros = p.has.in<std::uint8_t>(a, 3);
        const T *scales = a.in<T>(2), *bias = p.has.in<T>(a, 4);
        c.split(p.n, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check ends(c);
            float* const column = reinterpret_cast<float*>(c.scratch) + part * p.k;
            for (std::int64_t j = first; j < end; ++j) {
                if (ends(p.k * (p.m + 1))) return;
                for (std::int64_t i = 0; i < p.k; ++i) {
                    const std::int64_t b = i / p.block;
                    column[i] = float(p.from_zero(p.code(codes, p.at(i, j))) - p.zero(zeros, b, j)) *
                                static_cast<float>(scales[p.block_at(b, j)]);
                }
                for (std::int64_t row = 0; row < p.m; ++row) {
                    float sum = 0;
                    for (std::int64_t i = 0; i < p.k; ++i)
                        sum += static_cast<float>(a.in<T>(0)[row * p.k + i]) * column[i];
                    a.out<T>(0)[row * p.n + j] = static_cast<T>(bias ? sum + static_cast<float>(bias[j]) : sum);
                }
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
