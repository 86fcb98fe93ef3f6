// Text for people: names from a file show unchanged but cannot control a terminal, and numbers look the same in every
// locale.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
// Characters that control a terminal, or that hide, break or reorder a line: control characters, line separators and
// marks of direction.
constexpr bool is_unprintable(std::uint32_t c) {
    const bool control = c < ' ' || (c >= 0x7f && c < 0xa0), direction = c == 0x61c || c == 0x200e || c == 0x200f;
    return control || direction || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}
// The text with \n, \t, \r or \u001b in place of each such character, and \x9b in place of a byte that is no UTF-8.
std::string printable(std::string_view untrusted);
// JSON, or a part of it, with its unprintable characters escaped: they can only stand in its strings.
std::string printable_json(std::string_view json);

std::string decimal_text(double, int decimals);  // 6.60
std::string short_text(double, int digits = 6);  // 6.6, 1.5e+09
std::string size_text(std::int64_t bytes);       // 97.1 kB; -1: size known at run
}  // namespace v1
}  // namespace inlay
