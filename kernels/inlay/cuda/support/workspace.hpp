// Memory of the queue whose work the thread does, for libraries that tell their need when they are called: good until
// the next call.
#pragma once
#include <cstddef>

namespace inlay {
inline namespace v1 {
void* workspace_on_cuda(std::size_t bytes) noexcept;  // null: there is none; src/provider/cuda/memory.cpp
}  // namespace v1
}  // namespace inlay
