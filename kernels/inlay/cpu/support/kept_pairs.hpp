// Float32 values that are kept as bf16, with AMX: how a kernel that computes in float32 reads and writes them.
#pragma once
#include <inlay/cpu/isa/gemm_bf16.hpp>
#include <inlay/cpu/isa/half_f32.hpp>

namespace inlay {
inline namespace v1 {
struct kept_pairs {
    void (*widen)(const std::uint16_t* x, float* y, std::int64_t n) noexcept = nullptr;
    void (*round)(const float* x, std::int64_t n, std::uint16_t* y) noexcept = nullptr;

    static kept_pairs of(isa::level l) noexcept { return {half_f32(l).bfloat16.widen, gemm_bf16(l).round}; }
};
}  // namespace v1
}  // namespace inlay
