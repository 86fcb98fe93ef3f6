#include "toolkit.hpp"
#include <array>
#include <cstring>
#include <fcntl.h>
#include <lowering/refusal.hpp>
#include <platform/shared_library.hpp>
#include <rknpu_worker.hpp>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace inlay {
inline namespace v1 {
namespace {
constexpr const char* variable = "INLAY_RKNPU_PYTHON";
constexpr const char* end_message = "rknn-toolkit2's process has ended";

error no_toolkit(const std::string& reason) {
    return {error_code::provider_unavailable, "rknn-toolkit2 cannot be used: " + reason +
                                                  "; pip install rknn-toolkit2 brings it, and " +
                                                  variable_may_name(variable, "Python interpreter that has it")};
}
bool runs(pid_t process) {
    siginfo_t end{};
    return waitid(P_PID, id_t(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == 0;
}
// The descriptor that comes with one byte; -1: none.
int received_descriptor(int socket) {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    ssize_t count = 0;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    const cmsghdr* const header = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}
}  // namespace

rknn_link::~rknn_link() {
    if (end_ >= 0) close(end_);
}
bool rknn_link::send_bytes(const void* data, std::size_t bytes) const {
    for (const char* at = static_cast<const char*>(data); bytes > 0;) {
        const ssize_t sent = ::send(end_, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        bytes -= std::size_t(sent);
    }
    return true;
}
bool rknn_link::receive_bytes(void* data, std::size_t bytes) const {
    for (char* at = static_cast<char*>(data); bytes > 0;) {
        const ssize_t count = recv(end_, at, bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count;
        bytes -= std::size_t(count);
    }
    return true;
}
bool rknn_link::send(std::string_view field) const {
    const std::uint64_t size = field.size();
    return send_bytes(&size, sizeof size) && send_bytes(field.data(), field.size());
}
bool rknn_link::receive(std::string& field) const {
    constexpr std::uint64_t most = std::uint64_t(1) << 32;  // as much as the runtime library takes
    std::uint64_t size = 0;
    if (!receive_bytes(&size, sizeof size) || size > most) return false;
    field.resize(size);
    return receive_bytes(field.data(), field.size());
}
bool rknn_link::receive(std::span<std::byte> field) const {
    std::uint64_t size = 0;
    return receive_bytes(&size, sizeof size) && size == field.size() && receive_bytes(field.data(), field.size());
}

std::string rknn_model::simulate(std::span<const std::span<const std::byte>> inputs,
                                 std::span<const std::span<std::byte>> outputs) const {
    for (const auto x : inputs)
        if (!link.send({reinterpret_cast<const char*>(x.data()), x.size()})) return end_message;
    std::string reason;
    if (!link.receive(reason)) return end_message;
    if (!reason.empty()) return "rknn-toolkit2's simulator says: " + one_line(std::move(reason));
    for (const auto y : outputs)
        if (!link.receive(y)) return "rknn-toolkit2's simulator gives a result of another size, or has ended";
    return {};
}

rknn_toolkit::~rknn_toolkit() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);  // it has nothing to lose
    waitpid(process_, nullptr, 0);
}
std::string rknn_toolkit::start() {
    if (folder_.path().empty()) return "no folder for its files can be made";
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return "there are no sockets left";
    link_ = rknn_link(ends[0]);
    const rknn_link theirs(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), 0);
    std::string python = named_by(variable, "python3"), flag = "-c", text(rknpu_worker), folder = folder_.path();
    char* arguments[] = {python.data(), flag.data(), text.data(), folder.data(), nullptr};
    const int failed = posix_spawnp(&process_, python.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        process_ = 0;
        return python + ": " + std::strerror(failed);
    }
    return {};
}
result<std::shared_ptr<rknn_toolkit>> rknn_toolkit::shared() {
    static std::mutex mutex;
    static std::weak_ptr<rknn_toolkit> current;
    const std::lock_guard lock(mutex);
    if (auto toolkit = current.lock(); toolkit && runs(toolkit->process_)) return toolkit;
    auto toolkit = std::make_shared<rknn_toolkit>();
    if (const std::string reason = toolkit->start(); !reason.empty()) return no_toolkit(reason);
    std::string reason;
    if (!toolkit->link_.receive(reason) || (reason.empty() && !toolkit->link_.receive(toolkit->version_)))
        return no_toolkit("its process ends at once");
    if (!reason.empty()) return no_toolkit(one_line(std::move(reason)));
    current = toolkit;
    return toolkit;
}
rknn_link rknn_toolkit::new_process() {
    const std::lock_guard lock(mutex_);
    return rknn_link(link_.send_bytes("n", 1) ? received_descriptor(link_.get()) : -1);
}
result<rknn_model> rknn_toolkit::compile(const std::string& chip, const std::string& onnx, bool simulates) {
    rknn_model model{new_process(), {}};
    const rknn_link& link = model.link;
    if (link.get() < 0) return error(error_code::provider_failed, end_message);
    std::string reason;
    if (!link.send(chip) || !link.send(simulates ? "1" : "0") || !link.send(onnx) || !link.receive(reason) ||
        !link.receive(model.bytes))
        return error(error_code::unsupported_model, std::string(end_message) + " while it compiled these nodes");
    if (!reason.empty())
        return error(error_code::unsupported_model, "rknn-toolkit2 says: " + one_line(std::move(reason)));
    return model;
}
}  // namespace v1
}  // namespace inlay
