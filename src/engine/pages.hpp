// Memory that goes back to the system before it is freed.
#pragma once
#include <cstdint>

namespace inlay {
inline namespace v1 {
// The whole pages in there: what they held is lost, or read from its file again.
void drop_pages(const void* data, std::int64_t bytes);
}  // namespace v1
}  // namespace inlay
