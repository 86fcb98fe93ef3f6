// Text and numbers as C++ source.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
namespace spelling {
std::string literal(std::string_view text);  // "...": any bytes, and never a trigraph or the end of a comment line
std::string number(std::int64_t n);
std::string number(double x);               // the same double when it is read again
bool is_identifier(std::string_view text);  // that the user may give to a type: no keyword, nothing reserved
}  // namespace spelling
}  // namespace v1
}  // namespace inlay
