// A folder of what was compiled, for later sessions: files that begin with the text that they were compiled from.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace inlay {
inline namespace v1 {
class compiled_files {
    std::filesystem::path folder_;
    std::filesystem::path file_of(const std::string& key) const;

  public:
    explicit compiled_files(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::optional<std::string> find(const std::string& key) const;
    bool keep(const std::string& key, std::string_view compiled) const noexcept;  // false: it could not
};
}  // namespace v1
}  // namespace inlay
