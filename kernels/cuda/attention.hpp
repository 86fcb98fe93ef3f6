// Attention of floats on CUDA: a block per head and 32 rows of Q walks over the keys in tiles of 32, with a running maximum and sum; for a
// few rows, as in decoding, and for heads of more than 128 numbers, a block per row. Limit: the multiplications, at the rate of shared
// memory; for a few rows the bytes of K and V.
#pragma once
#include "../attention.hpp"

namespace inlay::inline v1 {
template <class T, class Mask> struct attention_on_cuda : attention_kernel {
    using params = attention_params;
    static constexpr bool by_rows(const params& p) { return p.rows <= 4 || p.size > 128 || p.value_size > 128; }
    static constexpr params prepare(const node_view& n) { return make(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, by_rows(p) ? p.batches * p.heads * p.rows * p.keys * std::int64_t(sizeof(float)) : 0}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // attention.cu
};
template <> struct kernel<op::attention, device::cuda, types<float, float>> : attention_on_cuda<float, float> {};
template <> struct kernel<op::attention, device::cuda, types<float, bool>> : attention_on_cuda<float, bool> {};
template <> struct kernel<op::attention, device::cuda, types<float16, float16>> : attention_on_cuda<float16, float16> {};
template <> struct kernel<op::attention, device::cuda, types<float16, bool>> : attention_on_cuda<float16, bool> {};
template <> struct kernel<op::attention, device::cuda, types<bfloat16, bfloat16>> : attention_on_cuda<bfloat16, bfloat16> {};
template <> struct kernel<op::attention, device::cuda, types<bfloat16, bool>> : attention_on_cuda<bfloat16, bool> {};
}  // namespace inlay::inline v1
