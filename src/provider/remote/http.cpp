#include "http.hpp"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <lowering/refusal.hpp>
#include <platform/shared_library.hpp>
#include <thread>

namespace inlay {
inline namespace v1 {
namespace {
using namespace std::chrono_literals;
const curl_functions& curl() { return curl_library(); }

constexpr std::size_t most_header_bytes = 64 << 10;
constexpr auto between_looks = 2ms;  // at a run's stop flag
constexpr auto first_pause = 50ms, longest_pause = 1000ms;

bool says_try_again(const http_answer& a) {
    constexpr int grpc_unavailable = 14;
    return a.status == 502 || a.status == 503 || a.status == 504 || a.grpc_status == grpc_unavailable;
}
bool equal_without_case(std::string_view a, std::string_view small) {
    return std::ranges::equal(a, small, {}, [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
}
std::string_view trimmed(std::string_view s) {
    constexpr std::string_view space = " \t\r\n";
    const auto first = s.find_first_not_of(space);
    return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(space) - first + 1);
}
long milliseconds_of(std::chrono::nanoseconds t) {
    return long(std::chrono::ceil<std::chrono::milliseconds>(t).count());
}
std::string seconds_text(int seconds) { return std::to_string(seconds) + " s"; }
// The only one of its kind, and all of the text.
template <class T> bool read_number(std::string_view text, std::optional<T>& to) {
    T number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size() || to) return false;
    to = number;
    return true;
}
}  // namespace

struct http_connection::receiving {
    http_answer& to;
    std::size_t most_bytes;
    std::size_t header_bytes = 0;
    std::string problem{};  // with the answer
    bool no_memory = false;

    // What libcurl calls: any result but `size` ends the transfer.
    static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self) noexcept {
        receiving& r = *static_cast<receiving*>(self);
        return r.guarded([&] {
            if (size > r.most_bytes - r.to.body.size()) {
                r.problem = "it has more than the " + std::to_string(r.most_bytes) + " bytes that it may have";
                return std::size_t(0);
            }
            r.to.body.append(data, size);
            return size;
        });
    }
    static std::size_t take_header(char* data, std::size_t, std::size_t size, void* self) noexcept {
        receiving& r = *static_cast<receiving*>(self);
        return r.guarded([&] { return r.header({data, size}) ? size : 0; });
    }

  private:
    template <class F> std::size_t guarded(F f) noexcept try { return f(); } catch (...) {
        no_memory = true;
        return 0;
    }
    bool header(std::string_view line) {
        header_bytes += line.size();
        if (header_bytes > most_header_bytes) {
            problem = "its headers have more than " + std::to_string(most_header_bytes) + " bytes";
            return false;
        }
        const auto colon = line.find(':');
        if (colon == line.npos) return true;
        const std::string_view name = line.substr(0, colon), text = trimmed(line.substr(colon + 1));
        const auto take = [&](std::string_view header, auto& number) {
            if (read_number(text, number)) return true;
            problem = "its " + std::string(header) + " is not one number";
            return false;
        };
        if (equal_without_case(name, "inference-header-content-length"))
            return take("Inference-Header-Content-Length", to.json_bytes);
        if (equal_without_case(name, "grpc-status")) return take("grpc-status", to.grpc_status);
        if (equal_without_case(name, "grpc-message")) to.grpc_message = text;
        return true;
    }
};

http_connection::http_connection(std::shared_ptr<const remote_target> t)
    : target_(std::move(t)), multi_(curl().curl_multi_init()), easy_(curl().curl_easy_init()) {
    if (!multi_ || !easy_) throw std::bad_alloc();
}

http_connection::outcome http_connection::fail(outcome o, std::string text) {
    reason_ = std::move(text);
    return o;
}
// The token goes into a header: what would end that, or begin another one, is none.
bool http_connection::fetch_token() try {
    token_ = target_->token ? target_->token() : std::string();
    const bool good = std::ranges::all_of(token_, [](char c) { return c > ' ' && c < 0x7f; });
    if (good && (!target_->token || !token_.empty())) return true;
    token_.clear();
    reason_ = "unauthorised: the token is empty, or has characters that no bearer token has";
    return false;
} catch (const std::exception& e) {
    token_.clear();
    reason_ = "unauthorised: `token` gave none: " + one_line(e.what());
    return false;
}
curl_ptr<curl_slist> http_connection::headers_for(const http_request& q, clock::duration left) const {
    curl_ptr<curl_slist> headers;
    const auto add = [&](const std::string& line) {
        curl_slist* const longer = curl().curl_slist_append(headers.get(), line.c_str());
        if (!longer) throw std::bad_alloc();
        (void)headers.release();
        headers.reset(longer);
    };
    if (q.what == http_request::form::grpc) {
        add("Content-Type: application/grpc");
        add("TE: trailers");
        add("grpc-timeout: " + std::to_string(milliseconds_of(left)) + "m");
    } else if (q.what == http_request::form::json) {
        const bool has_tensors = q.json_bytes < q.body.size();
        add(has_tensors ? "Content-Type: application/octet-stream" : "Content-Type: application/json");
        if (has_tensors) add("Inference-Header-Content-Length: " + std::to_string(q.json_bytes));
    }
    add("Expect:");  // no waiting for the server's leave to send
    if (!token_.empty()) add("Authorization: Bearer " + token_);
    return headers;
}
long http_connection::http_version() const {
    if (!target_->grpc) return CURL_HTTP_VERSION_1_1;
    const bool has_tls = target_->model_url.starts_with("https");
    return has_tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
}
CURLcode http_connection::set_up(const http_request& q, const curl_slist* headers, clock::duration left, receiving& r) {
    const remote& o = target_->options;
    CURLcode code = CURLE_OK;
    const auto set = [&](CURLoption option, auto value) {
        if (code == CURLE_OK) code = curl().curl_easy_setopt(easy_.get(), option, value);
    };
    curl().curl_easy_reset(easy_.get());
    detail_[0] = 0;
    set(CURLOPT_ERRORBUFFER, detail_);
    set(CURLOPT_URL, q.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, http_version());
    if (http_version() == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE && !curl().keeps_http2) set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, "");  // else the environment would choose who sees the tensors
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_SSLVERSION, long(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_SSL_VERIFYPEER, o.verify_certificates ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, o.verify_certificates ? 2L : 0L);
    if (!o.ca_file.empty()) {
        set(CURLOPT_CAINFO, o.ca_file.c_str());
        set(CURLOPT_CAPATH, static_cast<char*>(nullptr));  // else the system's are trusted as well
    }
    set(CURLOPT_CONNECTTIMEOUT_MS, long(o.connect_timeout) * 1000);
    set(CURLOPT_TIMEOUT_MS, milliseconds_of(left));
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_HEADERFUNCTION, &receiving::take_header);
    set(CURLOPT_HEADERDATA, &r);
    set(CURLOPT_WRITEFUNCTION, &receiving::take_body);
    set(CURLOPT_WRITEDATA, &r);
    if (q.what != http_request::form::get) {
        set(CURLOPT_POST, 1L);
        set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(q.body.size()));
        set(CURLOPT_POSTFIELDS, q.body.data());
    }
    return code;
}
std::optional<CURLcode> http_connection::drive(const context* run) {  // nothing: the run is to end
    for (;;) {
        if (run && run->stopped()) return {};
        int running = 0, left = 0;
        if (curl().curl_multi_perform(multi_.get(), &running) != CURLM_OK) return CURLE_FAILED_INIT;
        while (const CURLMsg* m = curl().curl_multi_info_read(multi_.get(), &left))
            if (m->msg == CURLMSG_DONE) return m->data.result;
        const int most = int((run && run->stoppable() ? between_looks : 1000ms).count());
        if (curl().curl_multi_poll(multi_.get(), nullptr, 0, most, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
    }
}
http_connection::outcome http_connection::judge(CURLcode code, const receiving& r, http_answer& a) {
    const std::string detail = quoted(detail_[0] ? detail_ : curl().curl_easy_strerror(code));
    const remote& o = target_->options;
    if (r.no_memory || code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (!r.problem.empty()) return fail(outcome::failed, "wrong answer: " + r.problem);
    switch (code) {
        case CURLE_OK:
            if (curl().curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &a.status) == CURLE_OK)
                return outcome::answered;
            return fail(outcome::failed, "wrong answer: it has no status");
        case CURLE_COULDNT_CONNECT:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_ERROR:
        case CURLE_GOT_NOTHING: return fail(outcome::lost, "unreachable: " + detail);
        case CURLE_COULDNT_RESOLVE_HOST: return fail(outcome::failed, "unreachable: " + detail);
        case CURLE_OPERATION_TIMEDOUT:
            return fail(outcome::failed, "timed out: " + detail + " (`timeout` is " + seconds_text(o.timeout) +
                                             ", `connect_timeout` " + seconds_text(o.connect_timeout) + ")");
        case CURLE_PARTIAL_FILE:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
            if (!r.header_bytes) return fail(outcome::lost, "unreachable: " + detail);
            return fail(outcome::failed, "wrong answer: it is cut: " + detail);
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR: return fail(outcome::failed, "not trusted: " + detail);
        case CURLE_FAILED_INIT: return fail(outcome::failed, "libcurl failed: " + detail);
        default: return fail(outcome::failed, "wrong answer: " + detail);
    }
}
http_connection::outcome http_connection::attempt(const http_request& q, const context* run, clock::time_point end,
                                                  http_answer& a) {
    a.status = 0;
    a.body.clear();
    a.json_bytes.reset();
    a.grpc_status.reset();
    a.grpc_message.clear();
    const auto left = end - clock::now();
    if (left <= clock::duration::zero())
        return fail(outcome::failed,
                    "timed out: no answer within the " + seconds_text(target_->options.timeout) + " of `timeout`");
    receiving r{a, q.most_bytes};
    const curl_ptr<curl_slist> headers = headers_for(q, left);
    if (const CURLcode code = set_up(q, headers.get(), left, r); code != CURLE_OK)
        return fail(outcome::failed, "libcurl refuses an option: " + quoted(curl().curl_easy_strerror(code)));
    if (curl().curl_multi_add_handle(multi_.get(), easy_.get()) != CURLM_OK) throw std::bad_alloc();
    const std::optional<CURLcode> code = drive(run);
    curl().curl_multi_remove_handle(multi_.get(), easy_.get());  // closes the connection of what is not done
    return code ? judge(*code, r, a) : outcome::ended;
}
bool http_connection::wait(clock::duration time, const context* run) {  // false: the run is to end
    const auto end = clock::now() + time;
    while (!(run && run->stopped())) {
        const clock::duration left = end - clock::now();
        if (left <= clock::duration::zero()) return true;
        std::this_thread::sleep_for(run && run->stoppable() ? std::min<clock::duration>(left, between_looks) : left);
    }
    return false;
}
void http_connection::tell(const http_request& q, outcome o, const http_answer& a, clock::time_point begin) const {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin).count();
    const std::string result = o == outcome::answered
                                   ? std::to_string(a.status) +
                                         (a.grpc_status ? ", gRPC " + std::to_string(*a.grpc_status) : "") + ", " +
                                         std::to_string(a.body.size()) + " bytes"
                               : o == outcome::ended ? "ended with the run"
                                                     : reason_;
    std::fprintf(stderr, "%s: %s %s: %s, %lld ms\n", remote::name.data(),
                 q.what == http_request::form::get ? "GET" : "POST", q.url.c_str(), result.c_str(),
                 static_cast<long long>(ms));
}
status http_connection::send(const http_request& q, const context* run, http_answer& a) {
    reason_.clear();
    if (!fetch_token()) return status::failed;
    const auto end = clock::now() + std::chrono::seconds(target_->options.timeout);
    clock::duration pause = first_pause;
    for (int left = target_->options.retries;; --left) {
        const auto begin = clock::now();
        const outcome o = attempt(q, run, end, a);
        if (target_->options.verbose) tell(q, o, a, begin);
        if (o == outcome::ended) return run->end_of_run();
        const bool again = o == outcome::lost || (o == outcome::answered && says_try_again(a));
        if (!again || left <= 0 || clock::now() + pause >= end)
            return o == outcome::answered ? status::ok : status::failed;
        if (!wait(pause, run)) return run->end_of_run();
        pause = std::min<clock::duration>(pause * 2, longest_pause);
    }
}
std::string printable(std::string_view text, std::string_view secret) {
    constexpr std::size_t enough = 1000;  // for one_line() to see that it is too long
    std::string s;
    while (!text.empty() && s.size() < enough) {
        const bool hidden = !secret.empty() && text.starts_with(secret);
        const auto c = static_cast<unsigned char>(text.front());
        if (hidden)
            s += "***";
        else
            s += (c >= ' ' && c < 0x7f) || c == '\n' || c == '\r' || c == '\t' ? text.front() : '?';
        text.remove_prefix(hidden ? secret.size() : 1);
    }
    return one_line(std::move(s));
}
}  // namespace v1
}  // namespace inlay
