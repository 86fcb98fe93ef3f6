// Workspace of the thread's current queue, for libraries that report their need when they are called: valid until the
// next call.
#pragma once
#include <cstddef>

namespace inlay {
inline namespace v1 {
void* workspace_on_cuda(std::size_t bytes) noexcept;  // null: there is none; src/provider/cuda/memory.cpp
}  // namespace v1
}  // namespace inlay
