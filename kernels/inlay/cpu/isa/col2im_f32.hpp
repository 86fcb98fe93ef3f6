// Col2Im's accumulation: adds the block elements that fall on one place.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct col2im_f32_tap {  // its number for element i of a run, i of [first, end), lies at + i after each base
    std::int64_t at, first, end;
};
struct col2im_f32_call {
    const float* const* bases;
    std::int64_t base_count;
    const col2im_f32_tap* taps;
    const std::int64_t* starts;  // the taps of run r: [starts[r], starts[r + 1])
    float* y;                    // the runs: y_row apart, the first `longer` of n + 1 elements, the others of n
    std::int64_t y_row, runs, n, longer;
};
struct col2im_f32_table {
    void (*add)(const col2im_f32_call&) noexcept;
};
const col2im_f32_table& col2im_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "col2im_f32.cpp"
#endif
