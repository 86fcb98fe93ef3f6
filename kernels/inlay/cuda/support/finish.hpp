// The epilogue that a library does not have: y = f(y + beta C + Z), all of one type, calculated in float32.
#pragma once
#include <inlay/support/activation.hpp>

namespace inlay {
inline namespace v1 {
struct finishing {
    const void* c = nullptr;
    std::int64_t c_row = 0, c_column = 1;  // its steps; 0 where it repeats
    float beta = 1;
    const void* addend = nullptr;  // Z, of y's shape
    constexpr bool adds() const { return c || addend; }
};
status finish(context& c, element type, void* y, std::int64_t rows, std::int64_t columns, const finishing& f,
              const plain_activation& activation) noexcept;  // finish.cu
}  // namespace v1
}  // namespace inlay
