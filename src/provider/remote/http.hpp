// Requests to the server over HTTP, one at a time and connection: attempts, time limits, and a bound for what comes
// back.
#pragma once
#include "library.hpp"
#include <inlay/provider/remote.hpp>

namespace inlay {
inline namespace v1 {
// The options, checked, and what follows from them: the same for all connections of an engine.
struct remote_target {
    remote options;
    bool grpc = false;                   // else JSON over HTTP
    std::string model_url;               // JSON: of the model's metadata; "/infer" behind it runs it. gRPC: the server
    std::function<std::string()> token;  // empty: none
};
result<std::shared_ptr<const remote_target>> target_of(const remote&);

struct http_request {
    std::string url;
    enum class form { get, json, grpc } what = form::get;
    std::string body;
    std::size_t json_bytes = 0;  // of the body of `json`; tensors follow where it has more
    std::size_t most_bytes = 0;  // of the answer
};
struct http_answer {
    long status = 0;
    std::string body;
    std::optional<std::size_t> json_bytes;  // what the server says of it; nothing: it is JSON alone
    std::optional<int> grpc_status;
    std::string grpc_message;  // as it was sent: percent-encoded
};

// What a server sent, as part of a message: one line, not too long, of ASCII, without the secret.
std::string printable(std::string_view text, std::string_view secret = {});

class http_connection {
    std::shared_ptr<const remote_target> target_;
    std::unique_ptr<CURLM, curl_multi_deleter> multi_;  // keeps the connection from one request to the next
    curl_ptr<CURL> easy_;
    std::string token_, reason_;
    char detail_[CURL_ERROR_SIZE] = {};

    using clock = std::chrono::steady_clock;
    enum class outcome {
        answered,
        ended,  // the run is to end
        lost,   // the connection failed: another attempt may help
        failed
    };
    struct receiving;
    outcome attempt(const http_request&, const context*, clock::time_point end, http_answer&);
    CURLcode set_up(const http_request&, const curl_slist* headers, clock::duration left, receiving&);
    std::optional<CURLcode> drive(const context*);
    long http_version() const;
    outcome judge(CURLcode, const receiving&, http_answer&);
    outcome fail(outcome, std::string text);
    void tell(const http_request&, outcome, const http_answer&, clock::time_point begin) const;
    bool fetch_token();
    curl_ptr<curl_slist> headers_for(const http_request&, clock::duration left) const;
    static bool wait(clock::duration, const context*);

  public:
    explicit http_connection(std::shared_ptr<const remote_target>);
    // ok: there is an answer, of whatever status; stopped or deadline_passed: the run is to end; failed: why() says
    // more. run: null where nothing ends it but the time limits.
    status send(const http_request&, const context* run, http_answer&);
    const std::string& why() const { return reason_; }
    std::string quoted(std::string_view text) const { return printable(text, token_); }
};
}  // namespace v1
}  // namespace inlay
