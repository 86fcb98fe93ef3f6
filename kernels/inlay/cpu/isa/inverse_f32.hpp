// The inverse of a matrix in place, a panel of columns at a time.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
constexpr std::int64_t inverse_f32_panel = 16;  // columns
// Scratch of eliminate() besides a matrix, in float32 elements: a panel, and as many rows.
constexpr std::int64_t inverse_f32_room(std::int64_t n) { return 2 * inverse_f32_panel * ((n + 15) / 16 * 16); }
struct inverse_f32_table {
    // Columns [first, ...) of a panel of m, n x n, after those before: row i changes places with row rows[i] >= i, for
    // the greatest pivot. False where there is none whose inverse is a number.
    bool (*eliminate)(float* m, std::int64_t n, std::int64_t first, std::int32_t* rows, float* room) noexcept;
};
const inverse_f32_table& inverse_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "inverse_f32.cpp"
#endif
