// Regular expressions as RE2 has them, by functions of a module that inlay::kernels opens on first use: null where
// there is none. Programs that link nothing of Inlay have none.
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
struct regular_expressions {
    void* (*compile)(std::string_view pattern, std::string& reason);  // null: the pattern is wrong
    bool (*matches)(const void* pattern, std::string_view whole) noexcept;
    void (*drop)(void* pattern) noexcept;
    // Of the leftmost matches the longest one is found, not the one of the first alternative.
    void* (*compile_longest)(std::string_view pattern, std::string& reason);
    // The first match at `from` or after it, in a text whose beginning and end are what `^` and `$` mean.
    bool (*find)(const void* pattern, std::string_view text, std::size_t from, std::size_t& at,
                 std::size_t& size) noexcept;
};
#ifdef INLAY_HEADER_ONLY
inline const regular_expressions* regular_expressions_by_re2() noexcept { return nullptr; }
#else
const regular_expressions* regular_expressions_by_re2() noexcept;
#endif
}  // namespace v1
}  // namespace inlay
