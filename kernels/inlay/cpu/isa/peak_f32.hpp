// The peak of one core at a level: loops that profiles measure, to compare kernels with.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct peak_f32_table {
    std::int64_t flop;  // of a round
    float (*multiply_add)(std::int64_t rounds,
                          float x) noexcept;  // in registers only; the result is of no use but to the compiler
    float (*read)(const float* x, std::int64_t n) noexcept;  // the sum of x, at the memory's bandwidth
};
const peak_f32_table& peak_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "peak_f32.cpp"
#endif
