// Elements as the protocol's bytes: little-endian, and strings each behind its length, of four bytes.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <string_view>

namespace inlay {
inline namespace v1 {
std::size_t byte_count(const buffer&);
// False: a string has more bytes than its length can tell.
bool append_bytes(std::string& to, const buffer&);
// False: the bytes are not those of the buffer's type and shape.
bool read_bytes(std::string_view, const buffer&);
}  // namespace v1
}  // namespace inlay
