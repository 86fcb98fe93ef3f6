// Operators in a text, separated by blanks: "Conv Gemm com.microsoft:Gelu".
#pragma once
#include <string_view>

namespace inlay {
inline namespace v1 {
inline bool names_operator(std::string_view operators, std::string_view name) {
    for (std::size_t at = operators.find(name); at != operators.npos; at = operators.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || operators[at - 1] == ' ') && (end == operators.size() || operators[end] == ' ')) return true;
    }
    return false;
}
}  // namespace v1
}  // namespace inlay
