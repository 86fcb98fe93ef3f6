// A folder for the packages of a test, which goes with it.
#pragma once
#include <inlay/provider/coreml.hpp>
#include <filesystem>
#include <random>

namespace inlay::testing {
class temporary_folder {
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("inlay-coreml-test-" + std::to_string(std::random_device()()));

  public:
    temporary_folder() { std::filesystem::create_directories(path_); }
    temporary_folder(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }
    coreml provider() const { return {.ModelCacheDirectory = (path_ / "packages").string()}; }
    std::vector<std::string> packages() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(path_ / "packages"))
            names.push_back(entry.path().filename());
        return names;
    }
};
}  // namespace inlay::testing
