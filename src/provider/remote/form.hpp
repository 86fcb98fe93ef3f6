// The protocol's two forms, JSON over HTTP and gRPC: what is requested of a server, and what its answers say.
#pragma once
#include "http.hpp"
#include "protocol.hpp"

namespace inlay {
inline namespace v1 {
struct remote_form {
    virtual ~remote_form() = default;
    virtual void ask_metadata(const remote_target&, http_request&) const = 0;
    // Why the inputs cannot be written; empty: they are.
    virtual std::string ask_run(const remote_target&, std::span<const remote_port>, std::span<const buffer>,
                                std::span<const remote_port> outputs, http_request&) const = 0;
    // What an answer is that is none, beginning with the kind of the failure; empty: it is one.
    virtual std::string refusal_in(const http_answer&, const http_connection& from) const = 0;
    // What is wrong with the answer; empty: nothing.
    virtual std::string read_metadata(const http_answer&, served_model&) const = 0;
    virtual std::string read_outputs(const http_answer&, std::span<const remote_port>,
                                     std::span<const buffer>) const = 0;
};
const remote_form& json_form();
const remote_form& grpc_form();

// What an answer of HTTP is that has another status than 200.
std::string refusal_of_status(const http_answer&, const std::string& text);
}  // namespace v1
}  // namespace inlay
