#include "library.hpp"

namespace inlay {
inline namespace v1 {
namespace {
// With earlier ones a peer that closes its connection may end the process by SIGPIPE: TLS wrote past libcurl.
constexpr unsigned least_version = 0x075700;  // 7.87.0
constexpr unsigned keeps_http2 = 0x080000;    // https://github.com/curl/curl/issues/10634

curl_functions open() {
    curl_functions f;
    f.find_in(
        open_named_library("INLAY_REMOTE_LIBRARY", "libcurl.so.4", "Debian has it in its package libcurl4", f.problem));
    if (!f.problem.empty()) return f;
    const curl_version_info_data* const version = f.curl_version_info(CURLVERSION_NOW);
    f.version = version->version;
    f.has_http2 = version->features & CURL_VERSION_HTTP2;
    f.keeps_http2 = version->version_num >= keeps_http2;
    if (version->version_num < least_version)
        f.problem = "it is version " + f.version + ", and 7.87.0 or later is needed";
    else if (const CURLcode code = f.curl_global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK)
        f.problem = f.curl_easy_strerror(code);
    return f;
}
}  // namespace

const curl_functions& curl_library() {
    static const curl_functions functions = open();
    return functions;
}
}  // namespace v1
}  // namespace inlay
