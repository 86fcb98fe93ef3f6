// Constant matrices and kernels as integers.
#pragma once
#include <inlay/tensor.hpp>

namespace inlay {
inline namespace v1 {
namespace quantizing {
tensor transposed(const tensor& matrix);  // of float32
bool all_finite(const tensor& floats);

struct channel_weights {
    tensor codes;               // int8, symmetric, of the shape of the weights
    std::vector<float> scales;  // one, or one for each index of the axis
};
// `w`: float32. axis -1: one scale for all. `least`: the minimum of each scale; empty: none.
channel_weights round_channels(const tensor& w, int axis, std::span<const float> least = {});

// A matrix of k rows and n columns; `block` rows of a column share a scale.
struct blocked_weights {
    std::int64_t k = 0, n = 0, block = 0, blocks = 0;  // blocks: of a column
    int bits = 0;                                      // 4 or 8
    std::vector<std::int8_t> codes{};                  // symmetric; of column c the row r is at c * k + r
    std::vector<float> scales{};                       // of column c the block b is at c * blocks + b
};
// `w`: float32, two dimensions. block 0: all rows.
blocked_weights round_blocks(const tensor& w, std::int64_t block, int bits);
// As GPTQ does it (Frantar and others, 2022), with the columns of its inputs in their order. `moments`: k x k, the sum
// of x x' over the rows x that the matrix was multiplied with; it is consumed.
blocked_weights round_with_feedback(const tensor& w, std::int64_t block, int bits, std::vector<float> moments,
                                    double damping);

// For DequantizeLinear: k rows of quantized values, scales of a row per block; a vector where there is one block.
tensor codes_of_rows(const blocked_weights&);
tensor scales_of_rows(const blocked_weights&);
// For MatMulNBits: unsigned quantized values, of n x blocks x bytes; scales in the same order.
tensor packed_codes(const blocked_weights&);
tensor packed_scales(const blocked_weights&);
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
