// A folder that nobody else can look into, for files of libraries and tools that take nothing but files. It goes with
// the object.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace inlay {
inline namespace v1 {
class private_folder {
    std::filesystem::path path_{};

  public:
    explicit private_folder(const std::string& name) {
        std::error_code problem;
        std::string path = (std::filesystem::temp_directory_path(problem) / (name + "-XXXXXX")).string();
        if (!problem && mkdtemp(path.data())) path_ = path;
    }
    private_folder(const private_folder&) = delete;
    ~private_folder() {
        std::error_code problem;
        if (!path_.empty()) std::filesystem::remove_all(path_, problem);
    }
    const std::filesystem::path& path() const { return path_; }  // empty: there is none
    std::string file(const char* name) const { return (path_ / name).string(); }
};
}  // namespace v1
}  // namespace inlay
