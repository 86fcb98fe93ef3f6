#include "platform/output_file.hpp"
#include <inlay/error.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace {
namespace fs = std::filesystem;

// The file that a name refers to, whether or not it exists yet: a link may lead to a file that is still to be created.
fs::path end_of_links(fs::path file) {
    constexpr int most = 40;  // as many as the system follows
    std::error_code problem;
    for (int k = 0; k < most; ++k) {
        const fs::path next = fs::read_symlink(file, problem);
        if (problem) break;
        file = file.parent_path() / next;  // next alone where it is absolute
    }
    return file;
}
std::string random_letters() {
    std::random_device bits;
    std::string text;
    for (int k = 0; k < 12; ++k) text += char('a' + bits() % 26);
    return text;
}
fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }
bool holds(const fs::path& file, std::span<const std::span<const std::byte>> pieces) {
    std::uintmax_t bytes = 0;
    for (const auto& p : pieces) bytes += p.size();
    std::error_code failure;
    if (fs::file_size(file, failure) != bytes || failure) return false;
    std::ifstream in(file, std::ios::binary);
    std::vector<char> block(1 << 20);
    for (auto p : pieces)
        for (std::size_t n; !p.empty(); p = p.subspan(n)) {
            n = std::min(p.size(), block.size());
            if (!in.read(block.data(), std::streamsize(n)) || std::memcmp(block.data(), p.data(), n) != 0) return false;
        }
    return bool(in);
}
}  // namespace

void output_file::fail(int reason) const {
    raise({error_code::invalid_argument,
           "inlay: cannot write `" + name_.string() + "`: " + std::generic_category().message(reason)});
}
void output_file::open_draft(unsigned mode) {
    constexpr std::size_t longest = 200;  // of the 255 bytes that a name may have
    const std::string name = target_.filename().string().substr(0, longest);
    for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
        draft_ = folder_of(target_) / (name + ".new-" + random_letters());
        descriptor_ = ::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ >= 0) return;
    draft_.clear();
    fail(errno);
}
output_file::output_file(fs::path name) : name_(std::move(name)) {
    struct stat now {};
    const bool exists = ::stat(name_.c_str(), &now) == 0;
    if (!exists && errno != ENOENT) fail(errno);  // a link of another owner too, which the system does not follow
    if (exists && !S_ISREG(now.st_mode)) {
        descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (descriptor_ < 0) fail(errno);
        return;
    }
    target_ = end_of_links(name_);
    if (!target_.has_filename()) fail(ENOENT);
    if (!exists) {
        open_draft(0666);
        return;
    }
    if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
    open_draft(now.st_mode & 0777);
    // Only root may give a file to another, and some file systems know no modes: the draft is no wider than the file.
    if (::fchown(descriptor_, now.st_uid, now.st_gid) != 0 && ::fchown(descriptor_, uid_t(-1), now.st_gid) != 0) return;
    [[maybe_unused]] const int as_before = ::fchmod(descriptor_, now.st_mode & 0777);
}
output_file::~output_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!draft_.empty()) ::unlink(draft_.c_str());
}
void output_file::write(std::span<const std::byte> bytes) {
    constexpr std::size_t most = std::size_t(1) << 30;  // the system writes no more than 2 GiB at once
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most));
        if (written == 0 || (written < 0 && errno != EINTR)) fail(written == 0 ? ENOSPC : errno);
        if (written > 0) bytes = bytes.subspan(std::size_t(written));
    }
}
void output_file::finish() {
    if (!draft_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
    if (draft_.empty()) return;
    if (::rename(draft_.c_str(), target_.c_str()) != 0) fail(errno);
    draft_.clear();
    const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;  // a user who may write into a folder may not always read it
    const int reason = ::fsync(folder) == 0 ? 0 : errno;
    ::close(folder);
    if (reason != 0 && reason != EINVAL) fail(reason);
}

bool update_file(const fs::path& file, std::span<const std::span<const std::byte>> pieces) {
    if (holds(file, pieces)) return false;
    output_file out(file);
    for (const auto& p : pieces) out.write(p);
    out.finish();
    return true;
}
bool update_file(const fs::path& file, std::string_view text) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    return update_file(file, std::span(&bytes, 1));
}
}  // namespace v1
}  // namespace inlay
