// Matmul whose B is kept as bf16, in half the bytes, by gemm_f32's calls; accumulators are float32. Levels with bf16
// dot products round A too: rows of float32 into call.copy, where the call has one; else A must be bf16, in runs of
// even length, with all steps counted in bf16. Other levels widen B and read A as gemm_f32 does. Rounding is to nearest
// even.
#pragma once
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
INLAY_SHARED bool gemm_bf16_pairs(isa::level l) { return l >= isa::level::avx512bf16; }
INLAY_SHARED std::int64_t gemm_bf16_group(isa::level l) { return gemm_bf16_pairs(l) ? 2 : 1; }
INLAY_SHARED std::int64_t gemm_bf16_packed(isa::level l, const gemm_f32_depth& d,
                                           std::int64_t n) {  // float32 elements of memory for all panels
    return (gemm_f32_padded(l, n) * d.in_groups(gemm_bf16_group(l)).total() * gemm_bf16_group(l) + 1) / 2;
}
struct gemm_bf16_table : gemm_f32_table {  // pack_tail is null: B is always packed
    void (*round)(const float* from, std::int64_t n, std::uint16_t* to) noexcept;  // null where A is read as float32
};
const gemm_bf16_table& gemm_bf16(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "gemm_bf16.cpp"
#endif
