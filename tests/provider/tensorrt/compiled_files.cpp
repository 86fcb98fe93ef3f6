// The folder of engines.
#include "../../models.hpp"
#include <fstream>
#include <provider/tensorrt/compiled_files.hpp>
#include <random>
using namespace inlay;
namespace fs = std::filesystem;

TEST_CASE("What is kept in the folder of engines is found by its key, and only whole", "[tensorrt]") {
    const fs::path folder =
        fs::temp_directory_path() / ("inlay-engines-test-" + std::to_string(std::random_device()()));
    fs::create_directories(folder);
    const compiled_files files(folder);
    const std::string engine("an engine\0 with a zero", 22);
    CHECK_FALSE(files.find("key"));
    REQUIRE(files.keep("key", engine));
    CHECK(files.find("key") == engine);
    CHECK(compiled_files(folder).find("key") == engine);
    CHECK_FALSE(files.find("other key"));

    REQUIRE(std::distance(fs::directory_iterator(folder), {}) == 1);
    const fs::path file = fs::directory_iterator(folder)->path();
    const auto size = fs::file_size(file);
    fs::resize_file(file, size - 1);
    CHECK_FALSE(files.find("key"));
    std::ofstream(file, std::ios::app) << "!";  // the last byte is another one
    CHECK(fs::file_size(file) == size);
    CHECK_FALSE(files.find("key"));
    fs::resize_file(file, 3);
    CHECK_FALSE(files.find("key"));
    fs::remove_all(folder);
    CHECK_FALSE(files.keep("key", engine));
}
