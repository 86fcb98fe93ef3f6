// Elements as the protocol's bytes.
#include "element_bytes.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
static_assert(std::endian::native == std::endian::little, "the protocol's bytes are little-endian");

using length = std::uint32_t;  // of a string
std::span<std::string> strings_of(const buffer& b) { return {b.as<std::string>(), std::size_t(b.dims.elements())}; }
bool read_string(std::string_view& bytes, std::string& to) {
    length size = 0;
    if (bytes.size() < sizeof(size)) return false;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    if (bytes.size() < size) return false;
    to = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return true;
}
}  // namespace

std::size_t byte_count(const buffer& b) {
    if (b.type != element::string) return std::size_t(bytes_of(b.type, b.dims.elements()));
    std::size_t bytes = 0;
    for (const std::string& s : strings_of(b)) bytes += sizeof(length) + s.size();
    return bytes;
}
bool append_bytes(std::string& to, const buffer& b) {
    if (b.type != element::string) {
        if (const std::size_t bytes = byte_count(b)) to.append(b.as<char>(), bytes);
        return true;
    }
    for (const std::string& s : strings_of(b)) {
        const auto size = length(s.size());
        if (size != s.size()) return false;
        to.append(reinterpret_cast<const char*>(&size), sizeof(size));
        to += s;
    }
    return true;
}
bool read_bytes(std::string_view bytes, const buffer& to) {
    if (to.type == element::string) {
        for (std::string& s : strings_of(to))
            if (!read_string(bytes, s)) return false;
        return bytes.empty();
    }
    if (bytes.size() != byte_count(to)) return false;
    if (to.type == element::boolean && std::ranges::any_of(bytes, [](char c) { return c != 0 && c != 1; }))
        return false;
    if (!bytes.empty()) std::memcpy(to.data, bytes.data(), bytes.size());
    return true;
}
}  // namespace v1
}  // namespace inlay
