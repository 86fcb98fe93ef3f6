#include "report/json_writer.hpp"
#include "support/text.hpp"
#include <boost/locale/utf.hpp>
#include <charconv>
#include <cmath>

namespace inlay {
inline namespace v1 {
void write_quoted(std::string& to, std::string_view untrusted) {
    using utf = boost::locale::utf::utf_traits<char>;
    constexpr std::string_view digits = "0123456789abcdef";
    to += '"';
    for (auto at = untrusted.begin(); at != untrusted.end();) {
        const auto from = at;
        const auto c = utf::decode(at, untrusted.end());
        if (c == boost::locale::utf::illegal || c == boost::locale::utf::incomplete)
            to += "\\ufffd";
        else if (is_unprintable(c)) {
            to += "\\u";
            for (int shift = 12; shift >= 0; shift -= 4) to += digits[c >> shift & 15];
        } else {
            if (c == '"' || c == '\\') to += '\\';
            to.append(from, at);
        }
    }
    to += '"';
}
json_writer& json_writer::value(double x) {
    if (!std::isfinite(x)) return value(nullptr);
    separate();
    char digits[32];
    text_.append(digits, std::to_chars(digits, std::end(digits), x).ptr);
    return *this;
}
}  // namespace v1
}  // namespace inlay
