// rknn-toolkit2 in processes of its own: its compiler and its simulator end a process that they do not like. worker.py
// is the other side, and describes what goes over the sockets.
#pragma once
#include <inlay/error.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <provider/private_folder.hpp>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace inlay {
inline namespace v1 {
// One end of a socket, and fields over it. False: the other process is not there any more.
class rknn_link {
    int end_ = -1;

  public:
    rknn_link() = default;
    explicit rknn_link(int end) : end_(end) {}
    rknn_link(rknn_link&& source) noexcept : end_(std::exchange(source.end_, -1)) {}
    rknn_link& operator=(rknn_link&& source) noexcept {
        std::swap(end_, source.end_);
        return *this;
    }
    ~rknn_link();
    int get() const { return end_; }

    bool send_bytes(const void*, std::size_t bytes) const;
    bool receive_bytes(void*, std::size_t bytes) const;
    bool send(std::string_view field) const;
    bool receive(std::string& field) const;
    bool receive(std::span<std::byte> field) const;  // false also where it has another size
};

// The process of one model.
struct rknn_model {
    rknn_link link;
    std::string bytes;  // of the compiled model
    // Elements of each input, and room for those of each output. Gives what is wrong; empty: nothing.
    std::string simulate(std::span<const std::span<const std::byte>> inputs,
                         std::span<const std::span<std::byte>> outputs) const;
};

class rknn_toolkit {
    private_folder folder_{"inlay-rknpu"};
    rknn_link link_{};
    pid_t process_ = 0;
    std::string version_{};
    std::mutex mutex_;

    std::string start();
    rknn_link new_process();

  public:
    rknn_toolkit() = default;
    ~rknn_toolkit();
    // The one that the program has as long as it is used, or another one, if that has ended.
    static result<std::shared_ptr<rknn_toolkit>> shared();
    const std::string& version() const { return version_; }
    result<rknn_model> compile(const std::string& chip, const std::string& onnx, bool simulates);
};
}  // namespace v1
}  // namespace inlay
