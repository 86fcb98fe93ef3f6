// Text as a template argument: names of ports, and refusals that the compiler prints.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace inlay::inline v1 {
template <std::size_t N> struct fixed_text {
    char characters[N + 1]{};
    constexpr fixed_text(const char (&s)[N + 1]) { std::copy_n(s, N, characters); }
    constexpr explicit fixed_text(std::string_view s) { std::copy_n(s.begin(), std::min(N, s.size()), characters); }
    constexpr std::string_view view() const { return {characters, N}; }
};
template <std::size_t N> fixed_text(const char (&)[N]) -> fixed_text<N - 1>;
// What a captureless function says; it is called twice, for the size and for the text.
template <class F> consteval auto to_fixed_text(F f) {
    constexpr std::size_t size = f().size();
    return fixed_text<size>(std::string_view(f()));
}
}  // namespace inlay::inline v1
