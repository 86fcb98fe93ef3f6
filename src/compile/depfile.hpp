// What a file depends on, as make and ninja read it: `target: file file`.
#pragma once
#include <filesystem>
#include <span>
#include <string>

namespace inlay {
inline namespace v1 {
// Names may come from a model. Raises invalid_argument for one that make or ninja would misinterpret, which in make
// may be a command: with control characters, `;`, `|` and others that cannot be escaped.
std::string depfile_text(const std::string& target, std::span<const std::filesystem::path> files);
}  // namespace v1
}  // namespace inlay
