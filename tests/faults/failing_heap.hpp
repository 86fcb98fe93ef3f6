// Every heap call of a program that links failing_heap.cpp comes through it: blocks that are alive are counted, and one
// allocation, or all from it on, fails where a test requires it. On all threads; not for the sanitizers, which have
// these functions themselves.
#pragma once
#include <atomic>

namespace inlay::testing::heap {
struct trace {
    static constexpr int deepest = 96;
    void* frames[deepest];
    int depth;
};
inline std::atomic<bool> armed{false}, later_too{false};
inline std::atomic<long> calls{0}, failing{0};  // since it was armed; the one to fail, from 1 on
inline std::atomic<long> blocks{0}, bytes{0};   // alive
inline trace own_trace{};
inline trace* failed_at = &own_trace;  // the allocation that failed first
}  // namespace inlay::testing::heap
