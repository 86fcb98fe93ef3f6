// libcurl as a table of functions, opened when first used: a program must start where there is none.
#pragma once
#include <curl/curl.h>
#include <memory>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_CURL_FUNCTIONS(X) \
    X(curl_version_info) \
    X(curl_global_init) \
    X(curl_easy_init) \
    X(curl_easy_cleanup) \
    X(curl_easy_reset) \
    X(curl_easy_setopt) \
    X(curl_easy_getinfo) \
    X(curl_easy_strerror) \
    X(curl_easy_escape) \
    X(curl_free) \
    X(curl_multi_init) \
    X(curl_multi_cleanup) \
    X(curl_multi_add_handle) \
    X(curl_multi_remove_handle) \
    X(curl_multi_perform) \
    X(curl_multi_poll) \
    X(curl_multi_info_read) \
    X(curl_slist_append) \
    X(curl_slist_free_all) \
    X(curl_url) \
    X(curl_url_cleanup) \
    X(curl_url_set) \
    X(curl_url_get)
struct curl_functions {
    INLAY_FUNCTION_TABLE(INLAY_CURL_FUNCTIONS, INLAY_DECLARED_FUNCTION)
    std::string version;
    bool has_http2 = false;
    bool keeps_http2 = false;  // a connection of HTTP/2 without TLS can have another request
};
const curl_functions& curl_library();

// Frees what the library made.
struct curl_deleter {
    void operator()(CURL* p) const { curl_library().curl_easy_cleanup(p); }
    void operator()(curl_slist* p) const { curl_library().curl_slist_free_all(p); }
    void operator()(CURLU* p) const { curl_library().curl_url_cleanup(p); }
    void operator()(char* p) const { curl_library().curl_free(p); }
};
struct curl_multi_deleter {
    void operator()(CURLM* p) const { curl_library().curl_multi_cleanup(p); }
};
template <class T> using curl_ptr = std::unique_ptr<T, curl_deleter>;
}  // namespace v1
}  // namespace inlay
