// A server of gRPC on loopback for tests, which can be wrong in every way: of HTTP/2 it has the frames that one call at
// a time needs, and it reads no headers. https://www.rfc-editor.org/rfc/rfc9113
#pragma once
#include "server.hpp"
#include <optional>
#include <support/protobuf_wire.hpp>

namespace inlay::testing {
struct grpc_reaction {
    std::string body;                              // with its prefix
    std::optional<std::string> grpc_status = "0";  // nothing: no trailers
    std::string grpc_message{}, http_status = "200";
    enum class then { keep, close, reset, reset_stream, go_away } next = then::keep;  // before the trailers
};
inline std::string with_prefix(const std::string& message) {
    std::string s(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) s += char(message.size() >> shift);
    return s + message;
}
inline grpc_reaction message_of(const std::string& message) { return {with_prefix(message)}; }
inline grpc_reaction grpc_error(int status, const std::string& text) { return {"", std::to_string(status), text}; }

class grpc_server {
    using then = loopback_server::then;
    std::function<grpc_reaction(std::string_view message)> handler_;
    loopback_server server_;

    enum frame_type { data = 0, headers = 1, reset_stream = 3, settings = 4, ping = 6, go_away = 7, window_update = 8 };
    static constexpr int end_stream = 1, ack = 1, end_headers = 4;

    static std::string number(std::uint32_t x) { return {char(x >> 24), char(x >> 16), char(x >> 8), char(x)}; }
    static std::string frame(frame_type type, int flags, std::uint32_t stream, std::string_view payload) {
        return number(std::uint32_t(payload.size())).substr(1) + char(type) + char(flags) + number(stream) +
               std::string(payload);
    }
    // A header that no table knows, in HPACK: RFC 7541, 6.2.2. Lengths of 127 and more have further bytes.
    static std::string text(const std::string& s) {
        std::string to(1, char(std::min<std::size_t>(s.size(), 127)));
        if (std::size_t rest = s.size(); rest >= 127) {
            for (rest -= 127; rest >= 128; rest >>= 7) to += char(rest | 128);
            to += char(rest);
        }
        return to + s;
    }
    static std::string header(const std::string& name, const std::string& value) {
        return std::string(1, '\0') + text(name) + text(value);
    }
    then answer(int socket, std::uint32_t stream, const grpc_reaction& r) const {
        using reaction = grpc_reaction::then;
        std::string bytes = frame(headers, end_headers, stream,
                                  header(":status", r.http_status) + header("content-type", "application/grpc"));
        for (std::string_view rest = r.body; !rest.empty();) {
            constexpr std::size_t most = 16384;
            bytes += frame(data, 0, stream, rest.substr(0, most));
            rest.remove_prefix(std::min(rest.size(), most));
        }
        const std::string stream_error = number(7);  // REFUSED_STREAM
        if (r.next == reaction::reset_stream) bytes += frame(reset_stream, 0, stream, stream_error);
        if (r.next == reaction::go_away) bytes += frame(go_away, 0, 0, number(0) + number(2));  // INTERNAL_ERROR
        if (r.next == reaction::keep) {
            const std::string trailers =
                r.grpc_status ? header("grpc-status", *r.grpc_status) + header("grpc-message", r.grpc_message) : "";
            bytes += frame(headers, end_headers | end_stream, stream, trailers);
        }
        loopback_server::write(socket, bytes);
        return r.next == reaction::close ? then::close : r.next == reaction::reset ? then::reset : then::keep;
    }
    static std::uint32_t number_at(const std::string& bytes, std::size_t at) {
        std::uint32_t x = 0;
        for (std::size_t k = 0; k < 4; ++k) x = x << 8 | static_cast<unsigned char>(bytes[at + k]);
        return x;
    }
    then talk(int socket) {
        constexpr std::size_t preface = 24, head = 9, prefix = 5;
        std::string bytes, body;
        if (!loopback_server::read_until(socket, bytes, preface)) return then::close;
        bytes.erase(0, preface);
        loopback_server::write(socket, frame(settings, 0, 0, ""));
        while (loopback_server::read_until(socket, bytes, head)) {
            const std::size_t size = number_at(bytes, 0) >> 8;
            const int type = bytes[3], flags = bytes[4];
            const std::uint32_t stream = number_at(bytes, 5);
            if (!loopback_server::read_until(socket, bytes, head + size)) break;
            const std::string payload = bytes.substr(head, size);
            bytes.erase(0, head + size);
            if (type == settings && !(flags & ack)) loopback_server::write(socket, frame(settings, ack, 0, ""));
            if (type == ping && !(flags & ack)) loopback_server::write(socket, frame(ping, ack, 0, payload));
            if (type != data) continue;
            body += payload;
            const std::string room = number(std::uint32_t(size));
            if (size)
                loopback_server::write(socket,
                                       frame(window_update, 0, 0, room) + frame(window_update, 0, stream, room));
            if (!(flags & end_stream)) continue;
            const grpc_reaction r = handler_(std::string_view(body).substr(std::min(prefix, body.size())));
            body.clear();
            if (const then next = answer(socket, stream, r); next != then::keep) return next;
        }
        return then::close;
    }

  public:
    explicit grpc_server(std::function<grpc_reaction(std::string_view)> h, int port = 0)
        : handler_(std::move(h)), server_([this](int socket) { return talk(socket); }, port) {}
    int port() const { return server_.port(); }
    std::string endpoint() const { return "grpc://127.0.0.1:" + std::to_string(port()); }
};
}  // namespace inlay::testing
