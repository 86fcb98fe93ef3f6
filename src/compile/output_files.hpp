// Files that a build makes: written as output_file writes them, and left alone where nothing changes, so that builds do
// not redo work.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace inlay {
inline namespace v1 {
// True if the file was written, false if it held these bytes already. Raises an error where it cannot be written.
bool update_file(const std::filesystem::path& file, std::span<const std::span<const std::byte>> pieces);
bool update_file(const std::filesystem::path& file, std::string_view text);

// The model file and the files of external data that it names.
std::vector<std::filesystem::path> files_of_model(const std::filesystem::path& model);
}  // namespace v1
}  // namespace inlay
