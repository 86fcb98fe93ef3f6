// Counts what the program asks of the heap, while it is told to. Only the program inlay does, by heap_hooks.cpp: what
// has the tool's parts within another program, as the Python package, leaves that program's malloc alone.
#pragma once

namespace inlay::tool {
bool can_count_heap_calls();
void count_heap_calls(bool);
long heap_calls();  // while counting

// For heap_hooks.cpp.
void heap_is_hooked();
void count_heap_call();
}  // namespace inlay::tool
