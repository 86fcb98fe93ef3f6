// libinlay_re2_module.so: RE2 for the operators that have regular expressions.
#include <inlay/support/regular_expression.hpp>
#include <kernels/module.hpp>
#include <memory>
#include <re2/re2.h>

namespace inlay {
inline namespace v1 {
static re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }
static void* compile(std::string_view pattern, std::string& reason, bool longest) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_longest_match(longest);
    auto compiled = std::make_unique<RE2>(piece(pattern), options);
    if (compiled->ok()) return compiled.release();
    reason = compiled->error();
    return nullptr;
}
static constexpr regular_expressions by_re2{
    [](std::string_view pattern, std::string& reason) { return compile(pattern, reason, false); },
    [](const void* pattern, std::string_view whole) noexcept {
        return RE2::FullMatch(piece(whole), *static_cast<const RE2*>(pattern));
    },
    [](void* pattern) noexcept { delete static_cast<RE2*>(pattern); },
    [](std::string_view pattern, std::string& reason) { return compile(pattern, reason, true); },
    [](const void* pattern, std::string_view text, std::size_t from, std::size_t& at, std::size_t& size) noexcept {
        re2::StringPiece match;
        const re2::StringPiece whole = piece(text);
        if (!static_cast<const RE2*>(pattern)->Match(whole, from, whole.size(), RE2::UNANCHORED, &match, 1))
            return false;
        at = std::size_t(match.data() - whole.data());
        size = match.size();
        return true;
    }};
}  // namespace v1
}  // namespace inlay
extern "C" __attribute__((visibility("default"))) const void* inlay_re2_module(const char* callers_build) {
    return inlay::same_build(callers_build) ? &inlay::by_re2 : nullptr;
}
