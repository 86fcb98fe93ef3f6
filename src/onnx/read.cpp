// Files and streams into memory.
#include "proto.hpp"
#include <cstring>
#include <fstream>
#include <istream>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace inlay {
inline namespace v1 {
namespace loading {
void refuse(error_code code, std::string text, std::string hint) {
    error e(code, std::move(text));
    e.hint = std::move(hint);
    raise(std::move(e));
}

std::string one_line(std::string_view text) {
    std::string line;
    for (char c : text) {
        if (c == '\n' || c == '\r') c = ' ';
        if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}
std::string list_text(std::span<const int64_t> list) {
    std::string text;
    for (int64_t i : list) text += (text.empty() ? "" : ", ") + std::to_string(i);
    return text;
}

static void check_size(const std::string& subject, int64_t size, int64_t limit) {
    if (size > limit)
        refuse(error_code::limit_exceeded,
               subject + " has " + std::to_string(size) + " bytes, the limit is " + std::to_string(limit),
               "raise limits::file_bytes");
}

#if defined(__unix__) || defined(__APPLE__)
file_bytes map_file(const std::filesystem::path& file, int64_t limit, const std::string& subject) {
    struct closer {
        int fd;
        ~closer() {
            if (fd >= 0) ::close(fd);
        }
    };
    const closer f{
        ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // O_NONBLOCK: opening a pipe must not wait
    struct stat s {};
    if (f.fd < 0 || ::fstat(f.fd, &s) != 0)
        refuse(error_code::not_found, subject + ": cannot open `" + file.string() + "`: " + std::strerror(errno));
    if (!S_ISREG(s.st_mode)) refuse(error_code::not_found, subject + ": `" + file.string() + "` is not a regular file");
    check_size(subject, s.st_size, limit);
    if (s.st_size == 0) return {};
    const auto size = std::size_t(s.st_size);
    void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, f.fd, 0);
    if (p == MAP_FAILED)
        refuse(error_code::out_of_memory, subject + ": cannot map `" + file.string() + "`: " + std::strerror(errno));
    return {{static_cast<const std::byte*>(p), size},
            std::shared_ptr<void>(p, [size](void* q) { ::munmap(q, size); }),
            true};
}
#else
file_bytes map_file(const std::filesystem::path& file, int64_t limit, const std::string& subject) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) refuse(error_code::not_found, subject + ": cannot open `" + file.string() + "`");
    const auto size = int64_t(in.tellg());
    check_size(subject, size, limit);
    auto bytes = std::make_shared<std::vector<std::byte>>(std::size_t(size));
    in.seekg(0).read(reinterpret_cast<char*>(bytes->data()), size);
    if (in.gcount() != size) refuse(error_code::not_found, subject + ": cannot read `" + file.string() + "`");
    return {*bytes, bytes};
}
#endif

file_bytes read_stream(std::istream& in, int64_t limit) {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    constexpr std::size_t step = 1 << 20;
    while (in) {
        const std::size_t have = bytes->size();
        bytes->resize(have + step);
        in.read(reinterpret_cast<char*>(bytes->data() + have), step);
        bytes->resize(have + std::size_t(in.gcount()));
        if (int64_t(bytes->size()) > limit)
            refuse(error_code::limit_exceeded, "the stream has more than " + std::to_string(limit) + " bytes",
                   "raise limits::file_bytes");
    }
    if (in.bad()) refuse(error_code::not_found, "the stream cannot be read");
    return {*bytes, bytes};
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
