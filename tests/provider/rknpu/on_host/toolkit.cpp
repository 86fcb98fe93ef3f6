// Stands in tests for a Python interpreter with rknn-toolkit2: it says what worker.py says, compiles a model by a mark
// before it, and simulates by onnx_host. A chip may be named for what is to happen: `crash` ends the process that
// compiles, `crash_later` the one that runs, `refuse` is refused.
#include "../../onnx_host.hpp"
#include "compiled_model.hpp"
#include <csignal>
#include <cstring>
#include <sys/socket.h>

namespace {
using onnx_host::receive_text, onnx_host::send_text;

[[noreturn]] void serve(int socket) try {
    const onnx_host::file from(fdopen(socket, "rb")), to(fdopen(dup(socket), "wb"));
    const std::string chip = receive_text(from.get());
    const bool simulates = receive_text(from.get()) == "1";
    const std::string model = receive_text(from.get());
    if (chip == "crash") std::abort();
    send_text(to.get(), chip == "refuse" ? "no\nsuch chip" : "");
    send_text(to.get(), chip == "refuse" ? "" : std::string(compiled_mark) + model);
    std::fflush(to.get());
    if (!simulates) std::exit(std::fgetc(from.get()) == EOF ? 0 : 1);
    onnx_host::program program(model);
    for (;;) {
        std::vector<std::string> inputs, outputs;
        for (std::size_t k = 0; k < program.inputs().size(); ++k) inputs.push_back(receive_text(from.get()));
        for (const onnx_host::port& p : program.outputs()) outputs.emplace_back(std::size_t(p.bytes), '\0');
        if (chip == "crash_later") std::abort();
        std::vector<const void*> x;
        std::vector<void*> y;
        for (const std::string& i : inputs) x.push_back(i.data());
        for (std::string& o : outputs) y.push_back(o.data());
        program.run(x, y);
        send_text(to.get(), "");
        for (const std::string& o : outputs) send_text(to.get(), o);
        std::fflush(to.get());
    }
} catch (const std::exception&) {  // the other side has gone
    std::exit(0);
}
void send_socket(int channel, int theirs) {
    char byte = 's';
    iovec data{&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &theirs, sizeof theirs);
    sendmsg(channel, &message, MSG_NOSIGNAL);
}
}  // namespace

int main() {
    const int channel = dup(0);
    std::signal(SIGCHLD, SIG_IGN);
    const std::uint64_t nothing = 0, version_bytes = 1;
    if (write(channel, &nothing, sizeof nothing) < 0 || write(channel, &version_bytes, sizeof version_bytes) < 0 ||
        write(channel, "1", 1) < 0)
        return 1;
    for (char byte = 0; read(channel, &byte, 1) == 1;) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
        if (fork() == 0) {
            std::signal(SIGCHLD, SIG_DFL);
            close(channel);
            close(0);
            close(ends[1]);
            serve(ends[0]);
        }
        close(ends[0]);
        send_socket(channel, ends[1]);
        close(ends[1]);
    }
}
