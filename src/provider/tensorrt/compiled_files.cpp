#include "compiled_files.hpp"
#include <fstream>
#include <provider/kept_file.hpp>
#include <support/content_hash.hpp>

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
    return keep_file(file_of(key), [&](std::ofstream& out) { out << heading_of(key, compiled) << compiled; });
} catch (...) {
    return false;
}
}  // namespace v1
}  // namespace inlay
