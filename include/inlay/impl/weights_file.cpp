// Weights of embedded models that lie in a file. No streams and no exceptions: small static programs link this.
// Of inlay::kernels; included with INLAY_HEADER_ONLY.
#include <inlay/embedded/weights.hpp>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inlay {
inline namespace v1 {
namespace detail {
namespace weights_of_file {
struct descriptor {
    int fd;
    ~descriptor() {
        if (fd >= 0) ::close(fd);
    }
};
inline bool read_all(int fd, std::byte* to, std::int64_t bytes) noexcept {
    while (bytes > 0) {
        const ssize_t n = ::read(fd, to, std::size_t(bytes));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        bytes -= n;
    }
    return true;
}
// The folder of this program, and the file name after it.
inline bool beside_program(std::string_view name, char (&path)[PATH_MAX]) noexcept {
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || n == ssize_t(sizeof path)) return false;
    ssize_t folder = n;
    while (folder > 0 && path[folder - 1] != '/') --folder;
    if (std::size_t(folder) + name.size() >= sizeof path) return false;
    std::memcpy(path + folder, name.data(), name.size());
    path[std::size_t(folder) + name.size()] = 0;
    return true;
}
}  // namespace weights_of_file

INLAY_COMPILED std::string_view weights_file::open(std::string_view name, std::int64_t bytes, bool map) noexcept {
    char path[PATH_MAX];
    if (name.size() >= sizeof path) return "the path of the weights file is too long";
    std::memcpy(path, name.data(), name.size());
    path[name.size()] = 0;
    if (name.find('/') == name.npos && !weights_of_file::beside_program(name, path))
        return "the folder of the program, where the weights file should be, cannot be determined";
    const weights_of_file::descriptor file{::open(path, O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0) return "the weights file cannot be opened";
    struct stat facts;
    if (::fstat(file.fd, &facts) != 0 || facts.st_size != bytes)
        return "the weights file has another size: it is not of this model, or of another version of it";
    if (map) {
        void* const p = ::mmap(nullptr, std::size_t(bytes), PROT_READ, MAP_PRIVATE, file.fd, 0);
        if (p == MAP_FAILED) return "the weights file cannot be mapped";
        data_ = static_cast<const std::byte*>(p);
    } else {
        void* const p = memory_space<memory::host>::allocate(std::size_t(bytes));
        if (!p) return "no memory for the weights";
        data_ = static_cast<const std::byte*>(p);
        if (!weights_of_file::read_all(file.fd, static_cast<std::byte*>(p), bytes))
            return "the weights file cannot be read";
    }
    mapped_ = map;
    bytes_ = bytes;
    return {};
}
INLAY_COMPILED weights_file::~weights_file() {
    if (mapped_)
        ::munmap(const_cast<std::byte*>(data_), std::size_t(bytes_));
    else if (data_)
        memory_space<memory::host>::release(const_cast<std::byte*>(data_));
}
}  // namespace detail
}  // namespace v1
}  // namespace inlay
