// Writes JSON, piece by piece, in the order of the calls.
#pragma once
#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
// Appends the text in quotation marks. It may come from a file: bytes that are no UTF-8 become U+FFFD, and what
// is_unprintable() is escaped.
void write_quoted(std::string& to, std::string_view untrusted);

//     json_writer out;
//     out.open('{').field("name", name).key("bytes").open('[').value(1).close(']').close('}');
class json_writer {
    std::string text_;
    bool first_ = true;  // nothing is written yet in the innermost object or array
    void separate() {
        if (!first_) text_ += ',';
        first_ = false;
    }

  public:
    json_writer& open(char bracket) {  // { or [
        separate();
        text_ += bracket;
        first_ = true;
        return *this;
    }
    json_writer& close(char bracket) {  // } or ]
        text_ += bracket;
        first_ = false;
        return *this;
    }
    json_writer& key(std::string_view name) {
        separate();
        write_quoted(text_, name);
        text_ += ':';
        first_ = true;  // no comma before its value
        return *this;
    }
    json_writer& value(std::string_view text) {
        separate();
        write_quoted(text_, text);
        return *this;
    }
    json_writer& value(const char* text) { return value(std::string_view(text)); }
    json_writer& value(double x);  // null for what is no number
    template <std::integral T> json_writer& value(T x) {
        separate();
        if constexpr (std::same_as<T, bool>)
            text_ += x ? "true" : "false";
        else
            text_ += std::to_string(x);
        return *this;
    }
    json_writer& value(std::nullptr_t) {
        separate();
        text_ += "null";
        return *this;
    }
    template <std::ranges::input_range R>
    requires(!std::convertible_to<const R&, std::string_view>) json_writer& value(const R& list) {
        open('[');
        for (const auto& item : list) value(item);
        return close(']');
    }
    template <class T> json_writer& field(std::string_view name, const T& x) { return key(name).value(x); }

    const std::string& text() const { return text_; }
};
}  // namespace v1
}  // namespace inlay
