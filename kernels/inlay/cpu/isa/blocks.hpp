// Loops over single elements that g++ vectorizes at -O2, and so in every program that includes them: the inner loop has
// a constant count.
#pragma once
#include "along.hpp"
#ifdef __clang__
#define INLAY_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INLAY_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
// f(i) for each element [0, n): an INLAY_INLINED lambda, which reads nothing that it writes for another element.
template <class F> INLAY_INLINE void in_blocks(std::int64_t n, F f) {
    constexpr std::int64_t block = 64;
    std::int64_t i = 0;
    for (; i + block <= n; i += block) {
        INLAY_INDEPENDENT
        for (std::int64_t j = 0; j < block; ++j) f(i + j);
    }
    for (; i < n; ++i) f(i);
}
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
