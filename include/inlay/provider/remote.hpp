// A model on a server that speaks the Open Inference Protocol, version 2, as JSON over HTTP or by gRPC: ONNX Runtime's
// documents call such a provider Azure's. libcurl, which it calls, is opened when the first session needs it: the
// file that $INLAY_REMOTE_LIBRARY names, else the system's. Link inlay::remote.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
struct remote {
    std::string endpoint{};        // as in http://127.0.0.1:8080 or https://host/path: what stands before /v2; by gRPC
                                   // grpc://127.0.0.1:8081, or grpcs with TLS
    std::string model_name{};      // on the server
    std::string model_version{};   // empty: the one that the server chooses
    int timeout = 30;              // seconds, for one answer with all attempts to get it
    int connect_timeout = 5;       // seconds, for one attempt to reach the server
    int retries = 2;               // further attempts, after a connection that failed, the answers 502, 503 and 504,
                                   // and gRPC's UNAVAILABLE
    bool binary = false;           // tensors as bytes after the JSON: the protocol's binary tensor extension
    bool verbose = false;          // a line on standard error for each request, without tensors and tokens
    std::string token_variable{};  // of the environment: its content is sent as a bearer token; empty: none does
    bool verify_certificates = true;
    std::string ca_file{};  // certificates to trust, as PEM; empty: the system's
    // Gives the bearer token of each request, in place of token_variable. Called by the threads that run; what it
    // throws ends the run with an error.
    std::function<std::string()> token{};

    static constexpr std::string_view name = "AzureExecutionProvider", short_name = "remote";
    static constexpr provider_status status = provider_status::preview;
    static constexpr provider_check checked_on = provider_check::device;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::remote, endpoint, model_name, model_version, timeout, connect_timeout, retries,
                        binary, verbose, token_variable, verify_certificates, ca_file);
namespace inlay {
inline namespace v1 {
static_assert(provider<remote> && engine_provider<remote>);
}  // namespace v1
}  // namespace inlay
