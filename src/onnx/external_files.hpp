// The files that a model consists of.
#pragma once
#include <filesystem>
#include <vector>

namespace inlay {
inline namespace v1 {
// The model file and the files of external data that it names.
std::vector<std::filesystem::path> files_of_model(const std::filesystem::path& model);
}  // namespace v1
}  // namespace inlay
