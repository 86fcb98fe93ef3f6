// Comparisons of float32, element by element; NaN compares with nothing. y does not overlap a or b.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct compare_f32_table {
    using function = void (*)(const float* a, const float* b, bool* y, std::int64_t n) noexcept;
    function less, less_or_equal, equal;
};
const compare_f32_table& compare_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "compare_f32.cpp"
#endif
