// By how much the memory of a session on a device grows, spelt as ONNX Runtime does.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
enum class arena_extend : std::uint8_t { kNextPowerOfTwo, kSameAsRequested };
inline bool from_text(std::string_view text, arena_extend& to) {
    to = text == "kSameAsRequested" || text == "1" ? arena_extend::kSameAsRequested : arena_extend::kNextPowerOfTwo;
    return to == arena_extend::kSameAsRequested || text == "kNextPowerOfTwo" || text == "0";
}
inline std::string to_text(arena_extend s) {
    return s == arena_extend::kNextPowerOfTwo ? "kNextPowerOfTwo" : "kSameAsRequested";
}
}  // namespace v1
}  // namespace inlay
