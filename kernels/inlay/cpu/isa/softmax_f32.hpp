// Softmax and LogSoftmax of float32; x and y may be the same.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct softmax_f32_table {
    using rows = void (*)(const float* x, float* y, std::int64_t rows, std::int64_t n) noexcept;  // along rows of n
    using columns = void (*)(const float* x, float* y, std::int64_t n, std::int64_t inner, std::int64_t first,
                             std::int64_t end) noexcept;  // along n elements `inner` apart, columns [first, end)
    rows softmax, log_softmax;
    columns softmax_columns, log_softmax_columns;
};
const softmax_f32_table& softmax_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "softmax_f32.cpp"
#endif
