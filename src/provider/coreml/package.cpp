#include "package.hpp"
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <support/content_hash.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace fs = std::filesystem;
namespace {
constexpr std::size_t line = 64;
struct file_header {
    std::uint32_t count = 0, version = 2;
    std::uint64_t reserved[7]{};
};
struct record {
    std::uint32_t mark = 0xDEADBEEF, type = 0;
    std::uint64_t size = 0, place = 0;  // of the elements, in bytes
    std::uint64_t reserved[5]{};
};
static_assert(sizeof(file_header) == line && sizeof(record) == line);

// As identifiers of items are written: 8-4-4-4-12 hexadecimal digits.
std::string identifier(std::uint64_t high, std::uint64_t low) {
    std::string text = content_hash::hex(high) + content_hash::hex(low);
    for (const std::size_t at : {8u, 13u, 18u, 23u}) text.insert(at, "-");
    return text;
}
std::uint64_t hash_of(const package& p) { return content_hash::of(p.weights.bytes(), content_hash::of(p.model)); }

std::string item(const std::string& id, const char* name, const char* description) {
    return "        \"" + id + "\": {\n            \"author\": \"com.apple.CoreML\",\n            \"description\": \"" +
           description + "\",\n            \"name\": \"" + name + "\",\n            \"path\": \"com.apple.CoreML/" +
           name + "\"\n        }";
}
std::string manifest(const package& p) {
    const std::uint64_t hash = hash_of(p);
    const std::string model = identifier(hash, 1), weights = identifier(hash, 2);
    std::string items = item(model, "model.mlmodel", "CoreML Model Specification");
    if (!p.weights.bytes().empty()) items += ",\n" + item(weights, "weights", "CoreML Model Weights");
    return "{\n    \"fileFormatVersion\": \"1.0.0\",\n    \"itemInfoEntries\": {\n" + items +
           "\n    },\n    \"rootModelIdentifier\": \"" + model + "\"\n}\n";
}
bool write_file(const fs::path& to, const std::string& bytes) {
    std::ofstream out(to, std::ios::binary);
    out.write(bytes.data(), std::streamsize(bytes.size()));
    out.close();
    return !out.fail();
}
// The folder's content; what is wrong, or nothing.
std::string write_parts(const package& p, const fs::path& folder) {
    std::error_code problem;
    const fs::path data = folder / "Data" / "com.apple.CoreML";
    fs::create_directories(p.weights.bytes().empty() ? data : data / "weights", problem);
    if (problem) return "its folders cannot be made: " + problem.message();
    if (!write_file(folder / "Manifest.json", manifest(p)) || !write_file(data / "model.mlmodel", p.model) ||
        (!p.weights.bytes().empty() && !write_file(data / "weights" / "weight.bin", p.weights.bytes())))
        return "its files cannot be written";
    return {};
}
}  // namespace

void weight_file::align() { bytes_.resize((bytes_.size() + line - 1) / line * line); }
void weight_file::write_header() {
    const file_header h{count_};
    std::memcpy(bytes_.data(), &h, sizeof h);
}
std::uint64_t weight_file::add(kind type, std::span<const std::byte> elements) {
    const auto [entry, is_new] = places_.try_emplace(content_hash::of(elements, std::uint64_t(type)));
    if (!is_new && holds(entry->second, type, elements)) return entry->second;
    if (bytes_.empty()) bytes_.resize(line);
    align();
    const std::size_t at = bytes_.size();
    const record r{.type = std::uint32_t(type), .size = elements.size(), .place = at + line};
    bytes_.append(reinterpret_cast<const char*>(&r), sizeof r);
    bytes_.append(reinterpret_cast<const char*>(elements.data()), elements.size());
    ++count_;
    write_header();
    entry->second = at;
    return at;
}
bool weight_file::holds(std::uint64_t place, kind type, std::span<const std::byte> elements) const {
    record r;
    std::memcpy(&r, bytes_.data() + place, sizeof r);
    return r.type == std::uint32_t(type) && r.size == elements.size() &&
           std::memcmp(bytes_.data() + r.place, elements.data(), elements.size()) == 0;
}

std::string package::name() const { return "inlay_" + content_hash::hex(hash_of(*this)) + ".mlpackage"; }
result<void> package::write(const fs::path& folder) const {
    const auto failed = [&](const std::string& reason) {
        return error(error_code::provider_failed, "the package `" + (folder / name()).string() + "`: " + reason);
    };
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) return failed("the folder cannot be made: " + problem.message());
    const fs::path whole = folder / name();
    if (fs::exists(whole, problem)) return {};  // its name says that it is this one
    std::string draft = (folder / "inlay_XXXXXX").string();
    if (!mkdtemp(draft.data())) return failed("nothing can be written into the folder");
    std::string reason = write_parts(*this, draft);
    if (reason.empty()) {
        fs::permissions(draft, fs::perms(0755), problem);
        fs::rename(draft, whole, problem);
        std::error_code ignored_error;
        if (problem && !fs::exists(whole, ignored_error))
            reason = problem.message();  // another process may have been first
    }
    fs::remove_all(draft, problem);
    if (!reason.empty()) return failed(reason);
    return {};
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay
