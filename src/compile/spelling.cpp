#include "spelling.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace spelling {
std::string literal(std::string_view text) {
    std::string s = "\"";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < ' ' || c > '~')
            for (const char digit : {'\\', char('0' + c / 64), char('0' + c / 8 % 8), char('0' + c % 8)}) s += digit;
        else {
            if (c == '"' || c == '\\' || (c == '?' && i && text[i - 1] == '?')) s += '\\';
            s += char(c);
        }
    }
    s += '"';
    return text.find('\0') == text.npos ? s : "{" + s + ", " + std::to_string(text.size()) + "}";
}
std::string number(std::int64_t n) { return n == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(n); }
std::string number(double x) {
    if (std::isnan(x)) return "std::numeric_limits<double>::quiet_NaN()";
    if (std::isinf(x)) return std::string(x < 0 ? "-" : "") + "std::numeric_limits<double>::infinity()";
    char text[32];
    std::string s(text, std::to_chars(text, text + sizeof(text), x).ptr);
    if (s.find_first_of(".e") == s.npos) s += '.';  // else an integer literal: without -0, and too large for one
    return s;
}
bool is_identifier(std::string_view text) {
    constexpr std::string_view reserved_words[] = {"alignas",   "alignof",      "and",           "and_eq",
                                                   "asm",       "auto",         "bitand",        "bitor",
                                                   "bool",      "break",        "case",          "catch",
                                                   "char",      "char16_t",     "char32_t",      "char8_t",
                                                   "class",     "co_await",     "co_return",     "co_yield",
                                                   "compl",     "concept",      "const",         "const_cast",
                                                   "consteval", "constexpr",    "constinit",     "continue",
                                                   "decltype",  "default",      "delete",        "do",
                                                   "double",    "dynamic_cast", "else",          "enum",
                                                   "explicit",  "export",       "extern",        "false",
                                                   "float",     "for",          "friend",        "goto",
                                                   "if",        "inlay",        "inline",        "int",
                                                   "long",      "mutable",      "namespace",     "new",
                                                   "noexcept",  "not",          "not_eq",        "nullptr",
                                                   "operator",  "or",           "or_eq",         "private",
                                                   "protected", "public",       "register",      "reinterpret_cast",
                                                   "requires",  "return",       "short",         "signed",
                                                   "sizeof",    "static",       "static_assert", "static_cast",
                                                   "std",       "struct",       "switch",        "template",
                                                   "this",      "thread_local", "throw",         "true",
                                                   "try",       "typedef",      "typeid",        "typename",
                                                   "union",     "unsigned",     "using",         "virtual",
                                                   "void",      "volatile",     "wchar_t",       "while",
                                                   "xor",       "xor_eq"};
    static_assert(std::ranges::is_sorted(reserved_words));
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && letter(text[0]) && text.find("__") == text.npos &&
           !std::ranges::binary_search(reserved_words, text) &&
           std::ranges::all_of(text, [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}
}  // namespace spelling
}  // namespace v1
}  // namespace inlay
