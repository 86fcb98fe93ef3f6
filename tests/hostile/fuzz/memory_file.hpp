// Bytes as a file that has a path and is in memory only.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace inlay::testing {
class memory_file {
    int fd_ = memfd_create("fuzzed", MFD_CLOEXEC);

  public:
    explicit memory_file(std::span<const std::uint8_t> bytes) {
        if (fd_ < 0) std::abort();
        for (std::size_t offset = 0; offset < bytes.size();) {
            const ssize_t n = ::write(fd_, bytes.data() + offset, bytes.size() - offset);
            if (n <= 0) std::abort();
            offset += std::size_t(n);
        }
    }
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;
    ~memory_file() { ::close(fd_); }
    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd_); }
};
}  // namespace inlay::testing
