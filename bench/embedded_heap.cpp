// A library to preload: heap_calls() returns the number of heap calls of the process since it was loaded.
#include "../src/tool/heap_counter.cpp"
#include "../src/tool/heap_hooks.cpp"

[[maybe_unused]] static const bool counts = (inlay::tool::count_heap_calls(true), true);
extern "C" long heap_calls() { return inlay::tool::heap_calls(); }
