// Counts what the program asks of the heap, while it is told to.
#pragma once
#include <cstddef>  // __GLIBC__

namespace inlay::tool {
inline constexpr bool can_count_heap_calls =
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif
void count_heap_calls(bool);
long heap_calls();  // while counting
}  // namespace inlay::tool
