// A server of HTTP on loopback for tests: it answers with whatever bytes a test gives, and so can be wrong in every
// way.
#pragma once
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace inlay::testing {
// Takes connections on loopback, each in a thread of its own, which talks until it returns.
class loopback_server {
  public:
    enum class then { keep, close, reset };  // of a connection
    using talk = std::function<then(int socket)>;

    // port: 0, or one where a server was before.
    explicit loopback_server(talk t, int port = 0) : talk_(std::move(t)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(static_cast<std::uint16_t>(port));
        socklen_t size = sizeof(at);
        const int yes = 1;
        setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
        if (bind(listener_, reinterpret_cast<sockaddr*>(&at), size) != 0 || listen(listener_, 64) != 0 ||
            getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
            throw std::runtime_error("no server on loopback can be started");
        port_ = ntohs(at.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~loopback_server() {
        closing_ = true;
        shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        close(listener_);
        {
            const std::lock_guard lock(lock_);
            for (const int socket : open_) shutdown(socket, SHUT_RDWR);
        }
        for (std::thread& t : threads_) t.join();
    }
    loopback_server(const loopback_server&) = delete;
    int port() const { return port_; }

    static bool read_more(int socket, std::string& bytes) {
        char chunk[16384];
        const ssize_t n = recv(socket, chunk, sizeof(chunk), 0);
        if (n > 0) bytes.append(chunk, std::size_t(n));
        return n > 0;
    }
    static bool read_until(int socket, std::string& bytes, std::size_t size) {
        while (bytes.size() < size)
            if (!read_more(socket, bytes)) return false;
        return true;
    }
    static void write(int socket, std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return;
            bytes.remove_prefix(std::size_t(n));
        }
    }

  private:
    talk talk_;
    int listener_ = -1, port_ = 0;
    std::atomic<bool> closing_{false};
    std::mutex lock_;
    std::vector<int> open_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;

    void serve(int socket) {
        const then next = talk_(socket);
        const linger now{1, 0};
        if (next == then::reset) setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        const std::lock_guard lock(lock_);
        std::erase(open_, socket);
        close(socket);
    }
    void accept_all() {
        for (int socket; (socket = accept(listener_, nullptr, nullptr)) >= 0;) {
            const std::lock_guard lock(lock_);
            if (closing_) {
                close(socket);
                continue;
            }
            open_.push_back(socket);
            threads_.emplace_back([this, socket] { serve(socket); });
        }
    }
};

struct http_question {
    std::string method, path, headers, body;  // headers in small letters
    bool has_header(const std::string& line) const { return headers.find("\r\n" + line + "\r\n") != headers.npos; }
};
struct http_reaction {
    std::string bytes;
    using then = loopback_server::then;
    then next = then::keep;
};
inline http_reaction answer_of(int status, const std::string& body, const std::string& headers = {}) {
    return {"HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
            headers + "\r\n" + body};
}
class http_server {
    std::function<http_reaction(const http_question&)> handler_;
    loopback_server server_;

    static bool read(int socket, std::string& bytes, http_question& q) {
        std::size_t end;
        while ((end = bytes.find("\r\n\r\n")) == bytes.npos)
            if (!loopback_server::read_more(socket, bytes)) return false;
        q.headers = bytes.substr(0, end + 2);
        q.method = q.headers.substr(0, q.headers.find(' '));
        const auto path = q.headers.find(' ') + 1;
        q.path = q.headers.substr(path, q.headers.find(' ', path) - path);
        for (char& c : q.headers)
            if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
        const auto length = q.headers.find("\r\ncontent-length: ");
        const std::size_t size = length == q.headers.npos ? 0 : std::stoul(q.headers.substr(length + 18));
        bytes.erase(0, end + 4);
        if (!loopback_server::read_until(socket, bytes, size)) return false;
        q.body = bytes.substr(0, size);
        bytes.erase(0, size);
        return true;
    }
    http_reaction::then talk(int socket) const {
        std::string bytes;
        for (http_question q; read(socket, bytes, q);) {
            const http_reaction r = handler_(q);
            loopback_server::write(socket, r.bytes);
            if (r.next != http_reaction::then::keep) return r.next;
        }
        return http_reaction::then::close;
    }

  public:
    explicit http_server(std::function<http_reaction(const http_question&)> h, int port = 0)
        : handler_(std::move(h)), server_([this](int socket) { return talk(socket); }, port) {}
    int port() const { return server_.port(); }
    std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port()); }
};
// A port on which no server listens.
inline int free_port() {
    const http_server s([](const http_question&) { return http_reaction{}; });
    return s.port();
}
}  // namespace inlay::testing
