// A folder that no other user can read, for files of libraries and tools that read nothing but files. It is removed
// with the object.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <lowering/refusal.hpp>
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

// What use(file) gives, of a file with these bytes in a folder of that name. Throws refused_node.
template <class F> auto with_file(const char* folder, const std::string& name, std::string_view bytes, F use) {
    const private_folder temporary(folder);
    if (temporary.path().empty()) refuse("no folder for " + name + " can be made");
    const std::string file = temporary.file("bytes");
    if (!bytes.empty()) std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
    return use(file.c_str());
}
// The bytes that write(file) leaves. Throws refused_node.
template <class F> std::string bytes_of_file(const char* folder, const std::string& name, F write) {
    return with_file(folder, name, {}, [&](const char* file) {
        write(file);
        std::ifstream in(file, std::ios::binary);
        std::string bytes(std::istreambuf_iterator<char>(in), {});
        if (bytes.empty()) refuse(name + " cannot be read back");
        return bytes;
    });
}
}  // namespace v1
}  // namespace inlay
