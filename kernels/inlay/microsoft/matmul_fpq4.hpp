// MatMulFpQ4 (com.microsoft, since 1): Y = A B, B [K, N] as MLAS packs it: column by column blocks of 32 numbers
// (value - zero point) * scale, the last one filled up. A block has its scale, a little-endian float32, a byte for the
// zero point, and 16 bytes. For blk_quant_type 0 the zero point is 8, and has no byte. The 16 have values 0 to 15 in
// their low halves, 16 to 31 in the high ones. ONNX Runtime computes types 1 and 2 alike, and so does this. Inputs: A,
// B, its shape.
#pragma once
#include <inlay/onnx/gemm.hpp>
#include <inlay/support/column_products.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/shape_of_product.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
struct fpq4_params {
    std::int64_t m = 0, n = -1, k = -1;  // n, k: -1 where they are not known yet
    bool zeros = true;                   // each block has a zero point
    static constexpr std::int64_t block = 32;

    constexpr std::int64_t blocks() const { return (k + block - 1) / block; }
    constexpr std::int64_t bytes() const { return 20 + zeros; }  // of a block
    constexpr column_products products() const { return {m, n, k}; }
    constexpr verdict read(const node_view& node) {
        constexpr std::int64_t most = std::int64_t(1) << 27;  // so that nothing here overflows
        const std::int64_t type = node.integer("blk_quant_type", 1);
        if (type < 0 || type > 2) return no("blk_quant_type must be 0, 1 or 2");
        zeros = type != 0;
        if (node.input(2).dims.known() && node.input(2).dims != shape{2}) return no("B_shape must be [K, N]");
        const auto dims = node.input_integers(2);
        if (!dims) return yes();
        k = (*dims)[0];
        n = (*dims)[1];
        if (n < 1 || k < 1 || n > most || k > most) return no("K and N must be positive");
        return !node.input(1).dims.known() || node.input(1).dims == shape{n * blocks() * bytes()}
                   ? yes()
                   : no("B does not hold K rows and N columns");
    }
    // A column of B, dequantized.
    void column(const std::uint8_t* b, std::int64_t j, float* to) const noexcept {
        const std::uint8_t* from = b + j * blocks() * bytes();
        for (std::int64_t first = 0; first < k; first += block, from += bytes()) {
            float scale;
            std::memcpy(&scale, from, sizeof scale);
            const int zero = zeros ? from[4] : 8;
            const std::uint8_t* values = from + bytes() - block / 2;
            for (std::int64_t i = 0; i < std::min(block, k - first); ++i)
                to[first + i] = float((values[i % 16] >> (i < 16 ? 0 : 4) & 15) - zero) * scale;
        }
    }
};
namespace op {
struct matmul_fpq4 : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MatMulFpQ4";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 3) return no("MatMulFpQ4 has three inputs");
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("A, B or B_shape is missing");
        fpq4_params p;
        if (const verdict v = p.read(n); !v) return v;
        if (p.n < 0) return yes();
        return shape_of_product(n.input(0).dims, p.k, p.n, "the last axis of A does not fit B", y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

template <> struct kernel<op::matmul_fpq4, device::reference, types<float>> : simple_kernel {
    using params = fpq4_params;
    static constexpr verdict supports(const node_view& n) {
        if (n.input(1).type != element::u8) return no("B must be uint8");
        return n.input(2).type == element::i64 ? yes() : no("B_shape must be int64");
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
        return p.products().run<float>(
            a, c, [&](std::int64_t j, float* column) noexcept { p.column(a.in<std::uint8_t>(1), j, column); });
    }
};
}  // namespace v1
}  // namespace inlay
