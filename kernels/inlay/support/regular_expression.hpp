// Regular expressions as RE2 has them, by functions of inlay::kernels: null where it was built without RE2. Programs
// that link nothing of Inlay have none.
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
struct regular_expressions {
    void* (*compile)(std::string_view pattern, std::string& why);  // null: the pattern is wrong
    bool (*matches)(const void* pattern, std::string_view whole) noexcept;
    void (*drop)(void* pattern) noexcept;
};
#ifdef INLAY_HEADER_ONLY
inline const regular_expressions* regular_expressions_by_re2() noexcept { return nullptr; }
#else
const regular_expressions* regular_expressions_by_re2() noexcept;
#endif
}  // namespace v1
}  // namespace inlay
