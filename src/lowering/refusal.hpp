// How the code of a provider says that a library does not take a node: all of them by one exception, so that programs
// with several of them have one `refuse`.
#pragma once
#include <string>
#include <utility>

namespace inlay {
inline namespace v1 {
struct refused_node {
    std::string reason;
};
[[noreturn]] inline void refuse(std::string reason) { throw refused_node{std::move(reason)}; }
// A library's message as one line, not too long.
inline std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    text.erase(text.find_last_not_of(' ') + 1);
    constexpr std::size_t most = 400;
    return text.size() > most ? text.substr(0, most) + " ..." : text;
}
}  // namespace v1
}  // namespace inlay
