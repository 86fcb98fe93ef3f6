// The options, checked before anything is sent.
#include "http.hpp"
#include <arpa/inet.h>
#include <cstdlib>

namespace inlay {
inline namespace v1 {
namespace {
error wrong(const std::string& reason) {
    return {error_code::invalid_option, std::string(remote::name) + ": " + reason};
}

std::string part_of(CURLU* url, CURLUPart part) {  // empty: it has none
    char* text = nullptr;
    if (curl_library().curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
    const curl_ptr<char> owner(text);
    return text;
}
bool is_this_machine(const std::string& host) {
    in_addr v4{};
    if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
    return host == "localhost" || host == "[::1]";
}
// gRPC is HTTP/2: the address that libcurl is given.
bool is_grpc(std::string_view endpoint) { return endpoint.starts_with("grpc://") || endpoint.starts_with("grpcs://"); }
std::string http_address_of(const std::string& endpoint) {
    return is_grpc(endpoint) ? "http" + endpoint.substr(4) : endpoint;
}
// Without the slashes at its end.
result<std::string> base_of(const remote& o) {
    const curl_functions& curl = curl_library();
    const std::string advice =
        "; it is what stands before /v2, as in http://127.0.0.1:8080, or of gRPC, as in grpc://127.0.0.1:8081";
    const curl_ptr<CURLU> url(curl.curl_url());
    if (!url || curl.curl_url_set(url.get(), CURLUPART_URL, http_address_of(o.endpoint).c_str(), 0) != CURLUE_OK)
        return wrong("`endpoint` is no URL" + advice);
    const std::string scheme = part_of(url.get(), CURLUPART_SCHEME), host = part_of(url.get(), CURLUPART_HOST);
    if (scheme != "http" && scheme != "https")
        return wrong("`endpoint` is neither http nor https, nor grpc or grpcs" + advice);
    for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
        if (!part_of(url.get(), part).empty())
            return wrong("`endpoint` has a user, a query or a fragment, and can have none" + advice);
    const bool has_token = o.token || !o.token_variable.empty();
    if (has_token && scheme == "http" && !is_this_machine(host))
        return wrong("a token goes to another machine by https or grpcs only, and `endpoint` is neither");
    if (has_token && !o.verify_certificates && !is_this_machine(host))
        return wrong(
            "a token goes to another machine only if its certificate is verified: with `verify_certificates` = false "
            "anyone on the way could take it; `ca_file` names the authority of a certificate of one's own");
    std::string base = part_of(url.get(), CURLUPART_URL);
    while (base.ends_with('/')) base.pop_back();
    return base;
}
result<std::string> escaped(const std::string& option, const std::string& text) {
    if (text == "." || text == "..") return wrong("`" + option + "` cannot be `" + text + "`");
    const curl_ptr<char> path(curl_library().curl_easy_escape(nullptr, text.c_str(), int(text.size())));
    if (!path) return wrong("`" + option + "` cannot be part of a URL");
    return std::string(path.get());
}
result<std::function<std::string()>> token_of(const remote& o) {
    if (o.token && !o.token_variable.empty()) return wrong("`token` and `token_variable` exclude each other");
    if (o.token || o.token_variable.empty()) return o.token;
    const char* const text = std::getenv(o.token_variable.c_str());
    if (!text || !*text)
        return error(error_code::provider_unavailable, std::string(remote::name) + ": the environment variable " +
                                                           o.token_variable +
                                                           ", which `token_variable` names, is not set");
    return std::function<std::string()>([token = std::string(text)] { return token; });
}
std::string wrong_number(const remote& o) {
    struct bounds {
        const char* option;
        int value, least, most;
    };
    constexpr int day = 86400;
    for (const bounds& b : {bounds{"timeout", o.timeout, 1, day}, bounds{"connect_timeout", o.connect_timeout, 1, day},
                            bounds{"retries", o.retries, 0, 100}})
        if (b.value < b.least || b.value > b.most)
            return std::string("`") + b.option + "` is from " + std::to_string(b.least) + " to " +
                   std::to_string(b.most) + ", not " + std::to_string(b.value);
    return {};
}
}  // namespace

result<std::shared_ptr<const remote_target>> target_of(const remote& o) {
    if (const std::string reason = wrong_number(o); !reason.empty()) return wrong(reason);
    if (o.model_name.empty()) return wrong("`model_name` is empty: it is the model's name on the server");
    const auto base = base_of(o), name = escaped("model_name", o.model_name),
               version = escaped("model_version", o.model_version);
    for (const auto* part : {&base, &name, &version})
        if (!*part) return part->why();
    auto token = token_of(o);
    if (!token) return token.why();
    const bool grpc = is_grpc(o.endpoint);
    if (grpc && !curl_library().has_http2)
        return error(error_code::provider_unavailable,
                     std::string(remote::name) + ": gRPC needs a libcurl with HTTP/2, and this one has none");
    std::string url = *base;
    if (!grpc) url += "/v2/models/" + *name;
    if (!grpc && !(*version).empty()) url += "/versions/" + *version;
    return std::make_shared<const remote_target>(remote_target{o, grpc, std::move(url), std::move(*token)});
}
}  // namespace v1
}  // namespace inlay
