// Programs of ONNX for libraries of the tests that stand for those of vendors: a process of its own, onnx_host, runs
// them by Inlay's reference kernels. It is one of its own because a process has room for one onnx.
#pragma once
#include "onnx_host/protocol.hpp"
#include <fcntl.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace onnx_host {
struct pipe_file {
    void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, pipe_file>;
// A program that runs in a process of its own. Throws std::runtime_error with what Inlay says of the model.
class program {
    std::string model_;
    pid_t process_ = 0;
    file to_{}, from_{};
    std::vector<port> inputs_, outputs_;

    static std::vector<port> receive_ports(std::FILE* from) {
        std::vector<port> ports(receive_number<std::uint32_t>(from));
        for (port& p : ports) {
            p.name = receive_text(from);
            p.type = receive_number<std::int32_t>(from);
            p.dims.resize(receive_number<std::uint32_t>(from));
            for (std::int64_t& d : p.dims) d = receive_number<std::int64_t>(from);
            p.bytes = receive_number<std::int64_t>(from);
        }
        return ports;
    }
    void start() {
        int down[2], up[2];
        if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
            throw std::runtime_error("there are no pipes left");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, down[0], 0);
        posix_spawn_file_actions_adddup2(&actions, up[1], 1);
        char name[] = ONNX_HOST;
        char* arguments[] = {name, nullptr};
        const int failed = posix_spawn(&process_, name, &actions, nullptr, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        close(down[0]);
        close(up[1]);
        to_.reset(fdopen(down[1], "wb"));
        from_.reset(fdopen(up[0], "rb"));
        if (failed) throw std::runtime_error("onnx_host cannot be started");
    }

  public:
    explicit program(std::string model) : model_(std::move(model)) {
        start();
        send_text(to_.get(), model_);
        std::fflush(to_.get());
        if (const std::string reason = receive_text(from_.get()); !reason.empty()) throw std::runtime_error(reason);
        inputs_ = receive_ports(from_.get());
        outputs_ = receive_ports(from_.get());
    }
    program(const program&) = delete;
    ~program() {
        to_.reset();  // which ends the process
        from_.reset();
        if (process_ > 0) waitpid(process_, nullptr, 0);
    }
    const std::string& model() const { return model_; }
    const std::vector<port>& inputs() const { return inputs_; }
    const std::vector<port>& outputs() const { return outputs_; }
    // inputs, outputs: the bytes of each tensor, in the order of the ports.
    void run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs) {
        send_number(to_.get(), char(1));
        for (std::size_t k = 0; k < inputs.size(); ++k) send(to_.get(), inputs[k], std::size_t(inputs_[k].bytes));
        std::fflush(to_.get());
        if (const std::string reason = receive_text(from_.get()); !reason.empty()) throw std::runtime_error(reason);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            receive(from_.get(), outputs[k], std::size_t(outputs_[k].bytes));
    }
};
}  // namespace onnx_host
