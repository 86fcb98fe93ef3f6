// Matmul of float32 by weights quantized to 2, 4 or 8 bits in blocks along K. The weights lie in strips of as many
// columns as a vector has lanes. First come the zero points of all blocks, where they are bytes; then, per block, the
// scales of its columns, what is added to each weight where zero points are real numbers, and the quantized values in
// words, one per column: the first of K in the lowest bits. A weight is (value - zero point) * scale; the zero point is
// 2^(bits - 1) where there is none, and (2^(bits - 1) - zero point) * scale is added.
#pragma once
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
enum class nbits_zeros : std::uint8_t { none, bytes, numbers };
struct nbits_f32_weights {
    const float* strips = nullptr;
    std::int64_t n = 0, k = 0, blocks = 0,
                 words = 0;  // columns; values of a column; blocks of these; words of a block
    nbits_zeros zeros = nbits_zeros::none;
    INLAY_SHARED std::int64_t block_floats(isa::level l) const {
        return gemm_f32_lanes(l) * (words + (zeros == nbits_zeros::numbers ? 2 : 1));
    }
    INLAY_SHARED std::int64_t zero_floats(isa::level l) const {  // of a strip
        return zeros == nbits_zeros::bytes ? (blocks + 3) / 4 * gemm_f32_lanes(l) : 0;
    }
    INLAY_SHARED std::int64_t strip_floats(isa::level l) const { return zero_floats(l) + blocks * block_floats(l); }
    INLAY_SHARED std::int64_t strip_count(isa::level l) const {
        return (n + gemm_f32_lanes(l) - 1) / gemm_f32_lanes(l);
    }
};
INLAY_SHARED std::int64_t nbits_f32_rows(isa::level l) {
    return l >= isa::level::avx512 ? 8 : 4;
}  // that multiply() supports at most
// Few rows are limited by memory, which is fastest when read in order and prefetched: by so many float32, into the
// second-level cache.
inline constexpr std::int64_t nbits_f32_ahead = 2048;
struct nbits_f32_call {
    nbits_f32_weights b;
    const float* a;  // rows of whole blocks, zeros after K
    std::int64_t a_row;
    const float* sums;  // of the elements of each block of A's row; read where there is one row, and zero points
    const float* bias;  // per column, or null
    float* y;
    std::int64_t y_row;
};
struct nbits_f32_table {
    struct form {
        void (*multiply)(const nbits_f32_call&, std::int64_t rows, std::int64_t strip, std::int64_t strip_end) noexcept;
        // `count` strips, one or two, as a panel of gemm_f32.
        void (*decode)(const nbits_f32_weights&, std::int64_t strip, std::int64_t count, float* panel) noexcept;
    };
    form of_2, of_4, of_8;
    const form& of(int bits) const noexcept { return bits == 2 ? of_2 : bits == 4 ? of_4 : of_8; }
};
const nbits_f32_table& nbits_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "nbits_f32.cpp"
#endif
