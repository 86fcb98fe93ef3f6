// Counts the program's heap calls, while it is enabled. Only the program inlay does, by heap_hooks.cpp: a program
// that embeds the tool, such as the Python package, keeps its own malloc.
#pragma once

namespace inlay::tool {
bool can_count_heap_calls();
void count_heap_calls(bool);
long heap_calls();  // while counting

// For heap_hooks.cpp.
void heap_is_hooked();
void count_heap_call();
}  // namespace inlay::tool
