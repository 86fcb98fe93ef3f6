#include <inlay/support/regular_expression.hpp>
#ifdef INLAY_RE2
#include <memory>
#include <re2/re2.h>
#endif

namespace inlay {
inline namespace v1 {
const regular_expressions* regular_expressions_by_re2() noexcept {
#ifdef INLAY_RE2
    static constexpr regular_expressions by_re2{
        [](std::string_view pattern, std::string& why) -> void* {
            RE2::Options options;
            options.set_log_errors(false);
            auto compiled = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
            if (compiled->ok()) return compiled.release();
            why = compiled->error();
            return nullptr;
        },
        [](const void* pattern, std::string_view whole) noexcept {
            return RE2::FullMatch(re2::StringPiece(whole.data(), whole.size()), *static_cast<const RE2*>(pattern));
        },
        [](void* pattern) noexcept { delete static_cast<RE2*>(pattern); }};
    return &by_re2;
#else
    return nullptr;
#endif
}
}  // namespace v1
}  // namespace inlay
