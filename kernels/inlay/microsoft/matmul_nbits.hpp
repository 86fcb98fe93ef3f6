// MatMulNBits (com.microsoft, since 1): Y = A B' + bias, B of N rows of K quantized values of 2, 4 or 8 bits, the first
// in the lowest bits, in blocks of block_size along K. An element is (value - zero point) * scale of its block, or of
// the group that g_idx names. Zero points are packed as the values are, or numbers of A's type; 2^(bits - 1) if absent.
// Inputs: A, B, scales, zero_points, g_idx, bias.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/column_products.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/shape_of_product.hpp>

namespace inlay {
inline namespace v1 {
struct nbits_params {
    std::int64_t m = 0, n = 0, k = 0, block = 0, blocks = 0;  // blocks: of a row of B
    int bits = 4, first = 1;                                  // first: the input that is B, before its scales and zeros
    bool packed_zeros = false;
    presence has{};

    constexpr column_products products() const { return {m, n, k}; }
    constexpr std::int64_t row_bytes() const { return blocks * (block * bits / 8); }
    constexpr std::int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }  // of a row
    constexpr int code(const std::uint8_t* row, std::int64_t i) const {
        const int per_byte = 8 / bits;
        return row[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1);
    }
    // Row `row` of B, dequantized. groups: g_idx, or null.
    template <class T>
    void unpack(const arguments& a, std::int64_t row, const std::int32_t* groups, float* weights) const noexcept {
        const std::uint8_t* codes = a.in<std::uint8_t>(first) + row * row_bytes();
        const T* scales = a.in<T>(first + 1) + row * blocks;
        const auto zero = [&](std::int64_t b) {
            if (!has.has_in(first + 2)) return float(1 << (bits - 1));
            return packed_zeros ? float(code(a.in<std::uint8_t>(first + 2) + row * zero_bytes(), b))
                                : static_cast<float>(a.in<T>(first + 2)[row * blocks + b]);
        };
        for (std::int64_t i = 0; i < k; ++i) {
            const std::int64_t b = groups ? groups[i] : i / block;
            weights[i] = (float(code(codes, i)) - zero(b)) * static_cast<float>(scales[b]);
        }
    }
    constexpr verdict read(const node_view& node) {
        constexpr std::int64_t most = std::int64_t(1) << 31;  // so that nothing here overflows
        n = node.integer("N", 0);
        k = node.integer("K", 0);
        block = node.integer("block_size", 0);
        if (const std::int64_t b = node.integer("bits", 4); b != 2 && b != 4 && b != 8)
            return no("bits must be 2, 4 or 8");
        bits = int(node.integer("bits", 4));
        if (node.integer("weight_prepacked", 0) != 0) return no("weights that a provider packed are not supported");
        if (n < 1 || k < 1 || n > most || k > most) return no("N and K must be positive");
        if (block < 16 || block > most || (block & (block - 1)))
            return no("block_size must be a power of two from 16 on");
        blocks = (k + block - 1) / block;
        has = presence(node);
        packed_zeros = node.input_type(first + 2) == element::u8;
        return yes();
    }
    // Whether B, its scales and zero points have so many elements.
    constexpr verdict fits(const node_view& node) const {
        const auto counts = [&](int input, std::int64_t count) { return counts_of(node, input, count); };
        if (!counts(first, n * row_bytes())) return no("B does not hold N rows of K codes in blocks");
        if (!counts(first + 1, n * blocks)) return no("scales must have one number per block");
        if (!counts(first + 2, n * (packed_zeros ? zero_bytes() : blocks)))
            return no("zero_points must have one number per block");
        return yes();
    }
    static constexpr bool counts_of(const node_view& node, int input, std::int64_t count) {
        return !node.has_input(input) || !node.input(input).dims.known() || node.input(input).dims.elements() == count;
    }
    // Whether B, its scales and zero points have the types that go with A's.
    constexpr verdict types_fit(const node_view& node) const {
        if (node.input(first).type != element::u8) return no("B must be uint8");
        if (node.input(first + 1).type != node.input(0).type) return no("A, scales and bias must have one type");
        if (const element zeros = node.input_type(first + 2);
            node.has_input(first + 2) && zeros != element::u8 && zeros != node.input(0).type)
            return no("zero_points must be uint8, or have the type of A");
        return yes();
    }
};
namespace op {
struct matmul_nbits : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MatMulNBits";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.mixes_rows = row_mixing::kernels};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("A, B or scales is missing");
        if (n.input_count() > 6) return no("there are too many inputs");
        nbits_params p;
        if (const verdict v = p.read(n); !v) return v;
        if (const verdict v = p.fits(n); !v) return v;
        if (!p.counts_of(n, 4, p.k) && !p.counts_of(n, 4, p.blocks * p.block)) return no("g_idx must have K numbers");
        if (!p.counts_of(n, 5, p.n)) return no("bias must have N numbers");
        return shape_of_product(n.input(0).dims, p.k, p.n, "the last axis of A must be K long", y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

template <class T> struct kernel<op::matmul_nbits, device::reference, types<T>> : simple_kernel {
    using params = nbits_params;
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = nbits_params{}.types_fit(n); !v) return v;
        if (n.has_input(5) && n.input(5).type != n.input(0).type) return no("A, scales and bias must have one type");
        return !n.has_input(4) || n.input(4).type == element::i32 ? yes() : no("g_idx must be int32");
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
        if (const std::int32_t* groups = p.has.in<std::int32_t>(a, 4))
            for (std::int64_t i = 0; i < p.k; ++i)
                if (groups[i] < 0 || groups[i] >= p.blocks) return c.fail("g_idx names a group that is not there");
        const T* bias = p.has.in<T>(a, 5);
        return p.products().template run<T>(
            a, c,
            [&](std::int64_t j, float* column) noexcept {
                p.template unpack<T>(a, j, p.has.in<std::int32_t>(a, 4), column);
            },
            [&](std::int64_t j, float sum) noexcept { return bias ? sum + static_cast<float>(bias[j]) : sum; });
    }
};
}  // namespace v1
}  // namespace inlay
