// DEFLATE (RFC 1951).
#pragma once
#include <cstddef>
#include <span>

namespace inlay {
inline namespace v1 {
namespace loading {
// Fills `to`; false where `from` is damaged or gives another number of bytes.
bool inflate(std::span<const std::byte> from, std::span<std::byte> to);
}  // namespace loading
}  // namespace v1
}  // namespace inlay
