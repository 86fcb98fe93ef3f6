#include "compiled_files.hpp"
#include <engine/content_hash.hpp>
#include <fstream>
#include <unistd.h>

namespace inlay {
inline namespace v1 {
namespace {
// Before what was compiled: the key's size, the key, and a hash that finds damage.
std::string heading_of(const std::string& key, std::string_view compiled) {
    return "inlay engine 1 " + std::to_string(key.size()) + "\n" + key + "\n" +
           content_hash::hex(content_hash::of(compiled)) + "\n";
}
}  // namespace

std::filesystem::path compiled_files::file_of(const std::string& key) const {
    return folder_ / (content_hash::hex(content_hash::of(key)) + ".engine");
}
std::optional<std::string> compiled_files::find(const std::string& key) const {
    std::ifstream in(file_of(key), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const std::size_t heading = heading_of(key, {}).size();
    if (bytes.size() < heading) return {};
    if (bytes.substr(0, heading) != heading_of(key, std::string_view(bytes).substr(heading))) return {};
    bytes.erase(0, heading);
    return bytes;
}
bool compiled_files::keep(const std::string& key, std::string_view compiled) const noexcept try {
    const std::filesystem::path file = file_of(key);
    std::filesystem::path unfinished = file;
    unfinished += "." + std::to_string(getpid()) + "." + std::to_string(reinterpret_cast<std::uintptr_t>(&file));
    bool good = false;
    {
        std::ofstream out(unfinished, std::ios::binary);
        out << heading_of(key, compiled) << compiled;
        good = bool(out.flush());
    }
    std::error_code failed;
    if (good) std::filesystem::rename(unfinished, file, failed);
    if (!good || failed) std::filesystem::remove(unfinished, failed);
    return good && !failed;
} catch (...) {
    return false;
}
}  // namespace v1
}  // namespace inlay
