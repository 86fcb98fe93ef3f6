// How the code of a provider says that a library does not take a node: all of them by one exception, so that programs
// with several of them have one `refuse`.
#pragma once
#include <string>
#include <utility>

namespace inlay {
inline namespace v1 {
struct refused_node {
    std::string why;
};
[[noreturn]] inline void refuse(std::string why) { throw refused_node{std::move(why)}; }
}  // namespace v1
}  // namespace inlay
