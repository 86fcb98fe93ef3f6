#include "heap_counter.hpp"
#include <atomic>

namespace inlay::tool {
namespace {
std::atomic<bool> hooked{false}, counting{false};
std::atomic<long> calls{0};
}  // namespace
bool can_count_heap_calls() { return hooked; }
void count_heap_calls(bool on) {
    calls = 0;
    counting = on;
}
long heap_calls() { return calls; }
void heap_is_hooked() { hooked = true; }
void count_heap_call() {
    if (counting.load(std::memory_order_relaxed)) calls.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace inlay::tool
