// The protocol as gRPC, whose calls are requests of HTTP/2: a message behind five bytes, and a status in the trailers.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md; messages: grpc_predict_v2.proto of the protocol.
#include "element_bytes.hpp"
#include "form.hpp"
#include "grpc_outputs.hpp"
#include <limits>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::size_t prefix_bytes = 5;  // 0: not compressed; and the message's size, big-endian

// The messages, and their fields that are written or read here.
namespace metadata_request {
constexpr int name = 1, version = 2;
}
namespace metadata_response {
constexpr int inputs = 4, outputs = 5;
}
namespace infer_request {
constexpr int model_name = 1, model_version = 2, inputs = 5, outputs = 6, raw_inputs = 7;
}

void begin_call(http_request& q, const remote_target& t, const char* method) {
    q.what = http_request::form::grpc;
    q.url = t.model_url + "/inference.GRPCInferenceService/" + method;
    q.body.assign(prefix_bytes, '\0');
}
bool end_call(http_request& q) {  // false: it is too long
    const std::size_t size = q.body.size() - prefix_bytes;
    if (size > std::numeric_limits<std::uint32_t>::max()) return false;
    for (std::size_t i = 0; i < 4; ++i) q.body[prefix_bytes - 1 - i] = char(size >> 8 * i);
    return true;
}
// The message of an answer, which is its only one.
std::string unpack(std::string_view body, std::string_view& to) {
    if (body.size() < prefix_bytes) return "it has no message";
    if (body.front() != 0) return "its message is compressed";
    std::size_t size = 0;
    for (std::size_t i = 1; i < prefix_bytes; ++i) size = size << 8 | static_cast<unsigned char>(body[i]);
    to = body.substr(prefix_bytes);
    return size == to.size() ? "" : "its message has not the bytes that its prefix says";
}

void write_port(std::string& to, const remote_port& port, const buffer& b) {
    message_writer w(to);
    w.add(tensor_field::name, port.name);
    w.add(tensor_field::datatype, datatype_of(b.type, true));
    for (const std::int64_t d : b.dims) w.add(tensor_field::shape, d);
}

struct status_of_grpc {
    std::string_view name, kind;
};
// https://grpc.io/docs/guides/status-codes, by number.
constexpr status_of_grpc statuses[] = {
    {"OK", ""},
    {"CANCELLED", "server error: "},
    {"UNKNOWN", "server error: "},
    {"INVALID_ARGUMENT", "refused: "},
    {"DEADLINE_EXCEEDED", "timed out: "},
    {"NOT_FOUND", "refused: "},
    {"ALREADY_EXISTS", "refused: "},
    {"PERMISSION_DENIED", "unauthorised: "},
    {"RESOURCE_EXHAUSTED", "refused: "},
    {"FAILED_PRECONDITION", "refused: "},
    {"ABORTED", "server error: "},
    {"OUT_OF_RANGE", "refused: "},
    {"UNIMPLEMENTED", "refused: "},
    {"INTERNAL", "server error: "},
    {"UNAVAILABLE", "server error: "},
    {"DATA_LOSS", "server error: "},
    {"UNAUTHENTICATED", "unauthorised: "},
};
int digit_of(char c) {  // of hexadecimal numbers; negative: it is none
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}
std::string without_percents(std::string_view text) {
    std::string s;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape =
            text[i] == '%' && i + 2 < text.size() && digit_of(text[i + 1]) >= 0 && digit_of(text[i + 2]) >= 0;
        s += escape ? char(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2])) : text[i];
        if (escape) i += 2;
    }
    return s;
}

struct calls_of_grpc final : remote_form {
    void ask_metadata(const remote_target& t, http_request& q) const override {
        begin_call(q, t, "ModelMetadata");
        message_writer w(q.body);
        w.add(metadata_request::name, t.options.model_name);
        w.add(metadata_request::version, t.options.model_version);
        end_call(q);
    }
    std::string ask_run(const remote_target& t, std::span<const remote_port> ports, std::span<const buffer> inputs,
                        std::span<const remote_port> outputs, http_request& q) const override {
        begin_call(q, t, "ModelInfer");
        message_writer w(q.body);
        w.add(infer_request::model_name, t.options.model_name);
        w.add(infer_request::model_version, t.options.model_version);
        std::string part;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            part.clear();
            write_port(part, ports[k], inputs[k]);
            w.add(infer_request::inputs, part);
        }
        for (const remote_port& port : outputs) {
            part.clear();
            message_writer(part).add(tensor_field::name, port.name);
            w.add(infer_request::outputs, part);
        }
        for (const buffer& b : inputs) {
            w.begin(infer_request::raw_inputs, byte_count(b));
            if (!append_bytes(q.body, b)) return "a string of the inputs has 4 GiB or more";
        }
        return end_call(q) ? "" : "the inputs have more than the 4 GiB of a message of gRPC";
    }
    std::string refusal_in(const http_answer& a, const http_connection& from) const override {
        if (!a.grpc_status && a.status != 200) return refusal_of_status(a, from.quoted(a.body));
        if (!a.grpc_status) return "wrong answer: it has no grpc-status";
        if (*a.grpc_status == 0) return {};
        const std::string text = from.quoted(without_percents(a.grpc_message)), says = text.empty() ? "" : ": " + text,
                          status = "the server answers grpc-status " + std::to_string(*a.grpc_status);
        if (*a.grpc_status < 0 || std::size_t(*a.grpc_status) >= std::size(statuses))
            return "wrong answer: " + status + says;
        const status_of_grpc& s = statuses[*a.grpc_status];
        return std::string(s.kind) + status + ", " + std::string(s.name) + says;
    }
    std::string read_metadata(const http_answer& a, served_model& to) const override {
        std::string_view message;
        if (std::string reason = unpack(a.body, message); !reason.empty()) return reason;
        to = {};
        message_reader fields(message);
        for (wire_field f; fields.next(f);) {
            if (f.number != metadata_response::inputs && f.number != metadata_response::outputs) continue;
            tensor_message t;
            if (f.kind != wire::bytes || !read_tensor(f.bytes, t)) return "one of its tensors is none of the protocol";
            (f.number == metadata_response::inputs ? to.inputs : to.outputs).push_back(std::move(t.port));
        }
        return fields.good() ? "" : "it is no message of the protocol";
    }
    std::string read_outputs(const http_answer& a, std::span<const remote_port> ports,
                             std::span<const buffer> outputs) const override {
        std::string_view message;
        if (std::string reason = unpack(a.body, message); !reason.empty()) return reason;
        return read_grpc_outputs(message, ports, outputs);
    }
};
}  // namespace

const remote_form& grpc_form() {
    static const calls_of_grpc form;
    return form;
}
}  // namespace v1
}  // namespace inlay
