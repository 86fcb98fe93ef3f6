// MatMulNBits (com.microsoft, since 1): Y = A B' + bias, B of N rows of K codes of 2, 4 or 8 bits, the first in the
// lowest bits, in blocks of block_size along K. A number is (code - zero point) * scale of its block, or of the group
// that g_idx names. Zero points are packed as the codes are, or numbers of A's type; 2^(bits - 1) where there are none.
// Inputs: A, B, scales, zero_points, g_idx, bias.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/shape_of_product.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct nbits_params {
    std::int64_t m = 0, n = 0, k = 0, block = 0, blocks = 0;  // blocks: of a row of B
    int bits = 4;
    bool packed_zeros = false;
    presence has{};

    constexpr std::int64_t row_bytes() const { return blocks * (block * bits / 8); }
    constexpr std::int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }  // of a row
    constexpr int code(const std::uint8_t* row, std::int64_t i) const {
        const int per_byte = 8 / bits;
        return row[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1);
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
        packed_zeros = node.input_type(3) == element::u8;
        return yes();
    }
};
namespace op {
struct matmul_nbits : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MatMulNBits";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("A, B or scales is missing");
        if (n.input_count() > 6) return no("there are too many inputs");
        nbits_params p;
        if (const verdict v = p.read(n); !v) return v;
        const auto counts = [&](int k, std::int64_t count) {
            return !n.has_input(k) || !n.input(k).dims.known() || n.input(k).dims.elements() == count;
        };
        if (!counts(1, p.n * p.row_bytes())) return no("B does not hold N rows of K codes in blocks");
        if (!counts(2, p.n * p.blocks)) return no("scales must have one number per block");
        if (!counts(3, p.n * (p.packed_zeros ? p.zero_bytes() : p.blocks)))
            return no("zero_points must have one number per block");
        if (!counts(4, p.k) && !counts(4, p.blocks * p.block)) return no("g_idx must have K numbers");
        if (!counts(5, p.n)) return no("bias must have N numbers");
        return shape_of_product(n.input(0).dims, p.k, p.n, "the last axis of A must be K long", y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return flop_of_products(s); }
};
}  // namespace op

template <class T> struct kernel<op::matmul_nbits, device::reference, types<T>> : simple_kernel {
    using params = nbits_params;
    static constexpr verdict supports(const node_view& n) {
        if (n.input(1).type != element::u8) return no("B must be uint8");
        for (int k : {2, 5})
            if (n.has_input(k) && n.input(k).type != n.input(0).type)
                return no("A, scales and bias must have one type");
        if (n.has_input(3) && n.input(3).type != element::u8 && n.input(3).type != n.input(0).type)
            return no("zero_points must be uint8, or have the type of A");
        return !n.has_input(4) || n.input(4).type == element::i32 ? yes() : no("g_idx must be int32");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        p.m = n.input(0).dims.elements(0, n.input(0).dims.rank - 1);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * p.k * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const std::int32_t* groups = p.has.in<std::int32_t>(a, 4))
            for (std::int64_t i = 0; i < p.k; ++i)
                if (groups[i] < 0 || groups[i] >= p.blocks) return c.fail("g_idx names a group that is not there");
        c.split(p.n, 1, [&](std::int64_t first, std::int64_t last, int part) {
            stop_check ends(c);
            float* weights = reinterpret_cast<float*>(c.scratch) + part * p.k;
            const T *x = a.in<T>(0), *bias = p.has.in<T>(a, 5);
            for (std::int64_t j = first; j < last; ++j) {
                if (ends(p.k * (p.m + 1))) return;
                unpack(p, a, j, weights);
                for (std::int64_t i = 0; i < p.m; ++i) {
                    float sum = 0;
                    for (std::int64_t k = 0; k < p.k; ++k) sum += static_cast<float>(x[i * p.k + k]) * weights[k];
                    a.out<T>(0)[i * p.n + j] = static_cast<T>(bias ? sum + static_cast<float>(bias[j]) : sum);
                }
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void unpack(const params& p, const arguments& a, std::int64_t row, float* weights) noexcept {
        const std::uint8_t* codes = a.in<std::uint8_t>(1) + row * p.row_bytes();
        const T* scales = a.in<T>(2) + row * p.blocks;
        const std::int32_t* groups = p.has.in<std::int32_t>(a, 4);
        const auto zero = [&](std::int64_t block) {
            if (!p.has.has_in(3)) return float(1 << (p.bits - 1));
            return p.packed_zeros ? float(p.code(a.in<std::uint8_t>(3) + row * p.zero_bytes(), block))
                                  : static_cast<float>(a.in<T>(3)[row * p.blocks + block]);
        };
        for (std::int64_t k = 0; k < p.k; ++k) {
            const std::int64_t block = groups ? groups[k] : k / p.block;
            weights[k] = (float(p.code(codes, k)) - zero(block)) * static_cast<float>(scales[block]);
        }
    }
};
}  // namespace v1
}  // namespace inlay
