// Floats rounded to 16 bits for a library's call, and results made floats again: where the option `precision` requests
// it, in the queue's workspace before the library's own part.
#pragma once
#include "runtime.hpp"

namespace inlay {
inline namespace v1 {
constexpr std::size_t rounded_bytes(std::int64_t elements) { return (std::size_t(elements) * 2 + 255) / 256 * 256; }
status round_on_device(context&, const void* floats, std::int64_t elements, element to,
                       void* y) noexcept;  // to: f16 or bf16
status widen_on_device(context&, const void* x, std::int64_t elements, element from, void* floats) noexcept;
}  // namespace v1
}  // namespace inlay
