#include "support/text.hpp"
#include <boost/locale/utf.hpp>
#include <charconv>

namespace inlay {
inline namespace v1 {
namespace {
using utf = boost::locale::utf::utf_traits<char>;

std::string hex(std::string_view mark, std::uint32_t x, int digits) {
    std::string text(mark);
    for (int k = digits - 1; k >= 0; --k) text += "0123456789abcdef"[x >> 4 * k & 15];
    return text;
}
std::string escape_of(std::uint32_t c) {
    return c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : hex("\\u", c, 4);
}
bool is_code_point(std::uint32_t c) { return c != boost::locale::utf::illegal && c != boost::locale::utf::incomplete; }
std::string text_of(double x, std::chars_format format, int digits) {
    char text[400];  // the largest double has 309 digits before its point
    return {text, std::to_chars(text, std::end(text), x, format, digits).ptr};
}
}  // namespace

std::string printable(std::string_view untrusted) {
    std::string text;
    for (auto at = untrusted.begin(); at != untrusted.end();) {
        const auto from = at;
        const std::uint32_t c = utf::decode(at, untrusted.end());
        if (!is_code_point(c)) {
            text += hex("\\x", static_cast<unsigned char>(*from), 2);
            at = from + 1;
        } else if (is_unprintable(c))
            text += escape_of(c);
        else
            text.append(from, at);
    }
    return text;
}
std::string printable_json(std::string_view json) {
    std::string text;
    for (auto at = json.begin(); at != json.end();) {
        const auto from = at;
        const std::uint32_t c = utf::decode(at, json.end());
        if (is_code_point(c) && is_unprintable(c) && c >= 0x7f)  // the others are between its tokens, or escaped
            text += escape_of(c);
        else
            text.append(from, at);
    }
    return text;
}

std::string decimal_text(double x, int decimals) { return text_of(x, std::chars_format::fixed, decimals); }
std::string short_text(double x, int digits) { return text_of(x, std::chars_format::general, digits); }
std::string size_text(std::int64_t bytes) {
    if (bytes < 0) return "size known at run";
    if (bytes < 1000) return std::to_string(bytes) + " B";
    double x = double(bytes) / 1000;
    const char* unit = "kB";
    for (const char* larger : {"MB", "GB", "TB"})
        if (x >= 999.95) {
            x /= 1000;
            unit = larger;
        }
    return decimal_text(x, 1) + ' ' + unit;
}
}  // namespace v1
}  // namespace inlay
