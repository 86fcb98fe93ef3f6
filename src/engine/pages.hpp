// Memory that is returned to the system before it is freed.
#pragma once
#include <cstdint>

namespace inlay {
inline namespace v1 {
// The whole pages within the range: their contents are lost, or read from the file again.
void drop_pages(const void* data, std::int64_t bytes);
}  // namespace v1
}  // namespace inlay
