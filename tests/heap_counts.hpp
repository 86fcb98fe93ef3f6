// What heap_calls.hpp counts, for the other sources of a program that has it in one.
#pragma once
#include <atomic>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_MEMORY__) && \
    !defined(__SANITIZE_THREAD__)
#define COUNTED 1
namespace inlay::testing::heap {
inline std::atomic<bool> counting{false};
inline std::atomic<long> calls{0}, bytes{0}, locks{0};
inline thread_local long left = -1;  // allocations of this thread until they fail; negative: they do not
}  // namespace inlay::testing::heap
#endif
