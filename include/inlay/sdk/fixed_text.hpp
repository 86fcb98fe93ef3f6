// Text as a template argument: names of ports, and refusals that the compiler prints.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace inlay {
inline namespace v1 {
// Text that the compiler can concatenate too: std::string of g++ 12 is no constant expression.
class text {
    std::vector<char> characters_;

  public:
    constexpr text() = default;
    constexpr text(std::string_view s) { *this += s; }
    constexpr text& operator+=(std::string_view s) {
        for (char c : s) characters_.push_back(c);
        return *this;
    }
    constexpr text& operator+=(const char* s) { return *this += std::string_view(s); }
    constexpr text& operator+=(const text& t) { return *this += t.view(); }
    constexpr text& operator+=(std::int64_t x) {
        if (x < 0) *this += "-";
        std::int64_t unit = 1;
        while (x / unit > 9 || x / unit < -9) unit *= 10;
        for (; unit; unit /= 10) {
            const std::int64_t digit = x / unit % 10;
            characters_.push_back(char('0' + (digit < 0 ? -digit : digit)));
        }
        return *this;
    }
    template <class T> friend constexpr text operator+(text a, const T& b) {
        a += b;
        return a;
    }
    constexpr std::size_t size() const { return characters_.size(); }
    constexpr std::string_view view() const { return {characters_.data(), characters_.size()}; }
    std::string str() const { return std::string(view()); }
};

template <std::size_t N> struct fixed_text {
    char characters[N + 1]{};
    constexpr fixed_text(const char (&s)[N + 1]) { std::copy_n(s, N, characters); }
    constexpr explicit fixed_text(std::string_view s) { std::copy_n(s.begin(), std::min(N, s.size()), characters); }
    constexpr std::string_view view() const { return {characters, N}; }
};
template <std::size_t N> fixed_text(const char (&)[N]) -> fixed_text<N - 1>;
// The result of a captureless function; it is called twice, for the size and for the text.
template <class F> consteval auto to_fixed_text(F f) {
    constexpr std::size_t size = f().size();
    return fixed_text<size>(f().view());
}
}  // namespace v1
}  // namespace inlay
