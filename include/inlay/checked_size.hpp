// Multiplication and addition of sizes. A file or a caller may request more than 64 bits can count: then the result
// says so, and no memory is large enough for it.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <cstdint>
#include <limits>

namespace inlay {
inline namespace v1 {
inline constexpr std::int64_t too_large = std::numeric_limits<std::int64_t>::max();

// a * b, or too_large where that overflows. A size below 0 is not known, and what follows from it means nothing.
constexpr std::int64_t checked_product(std::int64_t a, std::int64_t b) {
    constexpr std::uint64_t half = std::uint64_t(1) << 31;
    const auto x = std::uint64_t(a), y = std::uint64_t(b);
    if ((x | y) < half || a <= 0 || b <= 0) return std::int64_t(x * y);
    return a > too_large / b ? too_large : a * b;
}
// a + b of sizes that are known, or too_large where that overflows.
constexpr std::int64_t checked_sum(std::int64_t a, std::int64_t b) { return a > too_large - b ? too_large : a + b; }
}  // namespace v1
}  // namespace inlay
