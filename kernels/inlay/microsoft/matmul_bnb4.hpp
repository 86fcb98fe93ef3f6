// MatMulBnb4 (com.microsoft, since 1): Y = A B', or with transB = 0 Y = A B, B of N rows of K 4-bit quantized values,
// the first of a byte in its highest bits. Their numbers are those of quant_type (0: FP4, 1: NF4) times absmax of their
// block; blocks of block_size values run on from row to row. Inputs: A, B, absmax.
#pragma once
#include <inlay/onnx/gemm.hpp>
#include <inlay/support/column_products.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/shape_of_product.hpp>

namespace inlay {
inline namespace v1 {
struct bnb4_params {
    std::int64_t m = 0, n = 0, k = 0, block = 0;
    bool transposed = true, normal = false;  // normal: NF4
    // FP4: a sign, and one of eight magnitudes. NF4: quantiles of the normal distribution, as the QLoRA paper has them.
    static constexpr std::array<float, 16> fp4{
        0,    0.005208333333f,  0.66666667f,  1,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
        -0.f, -0.005208333333f, -0.66666667f, -1, -0.33333333f, -0.5f, -0.16666667f, -0.25f},
        nf4{-1,
            -0.6961928009986877f,
            -0.5250730514526367f,
            -0.39491748809814453f,
            -0.28444138169288635f,
            -0.18477343022823334f,
            -0.09105003625154495f,
            0,
            0.07958029955625534f,
            0.16093020141124725f,
            0.24611230194568634f,
            0.33791524171829224f,
            0.44070982933044434f,
            0.5626170039176941f,
            0.7229568362236023f,
            1};

    constexpr std::int64_t depth() const { return transposed ? k : n; }
    constexpr std::int64_t columns() const { return transposed ? n : k; }
    constexpr column_products products() const { return {m, columns(), depth()}; }
    constexpr verdict read(const node_view& node) {
        constexpr std::int64_t most = std::int64_t(1) << 27;  // so that nothing here overflows
        n = node.integer("N", 0);
        k = node.integer("K", 0);
        block = node.integer("block_size", 0);
        transposed = node.integer("transB", 1) != 0;
        const std::int64_t type = node.integer("quant_type", -1);
        if (type != 0 && type != 1) return no("quant_type must be 0 for FP4, or 1 for NF4");
        normal = type == 1;
        if (n < 1 || k < 1 || n > most || k > most) return no("N and K must be positive");
        return block < 16 || block > most || (block & (block - 1)) ? no("block_size must be a power of two from 16 on")
                                                                   : yes();
    }
    template <class T> float number(const std::uint8_t* codes, const T* absmax, std::int64_t i) const noexcept {
        return (normal ? nf4 : fp4)[std::size_t(codes[i / 2] >> (i % 2 ? 0 : 4) & 15)] *
               static_cast<float>(absmax[i / block]);
    }
};
namespace op {
struct matmul_bnb4 : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MatMulBnb4";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 3) return no("MatMulBnb4 has three inputs");
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("A, B or absmax is missing");
        bnb4_params p;
        if (const verdict v = p.read(n); !v) return v;
        const auto counts = [&](int k, std::int64_t count) {
            return !n.input(k).dims.known() || n.input(k).dims.elements() == count;
        };
        if (!counts(1, (p.n * p.k + 1) / 2)) return no("B does not hold N rows of K codes");
        if (!counts(2, (p.n * p.k + p.block - 1) / p.block)) return no("absmax must have one number per block");
        return shape_of_product(n.input(0).dims, p.depth(), p.columns(), "the last axis of A does not fit B", y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

template <class T> struct kernel<op::matmul_bnb4, device::reference, types<T>> : simple_kernel {
    using params = bnb4_params;
    static constexpr verdict supports(const node_view& n) {
        if (n.input(1).type != element::u8) return no("B must be uint8");
        return n.input(2).type == n.input(0).type ? yes() : no("A and absmax must have one type");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        p.m = n.input(0).dims.elements(0, n.input(0).dims.rank - 1);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return p.products().footprint(threads);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return p.products().run<T>(a, c, [&](std::int64_t j, float* column) noexcept {
            for (std::int64_t i = 0; i < p.depth(); ++i)
                column[i] = p.number(a.in<std::uint8_t>(1), a.in<T>(2), p.transposed ? j * p.k + i : i * p.k + j);
        });
    }
};
}  // namespace v1
}  // namespace inlay
