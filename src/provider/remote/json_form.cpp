// The protocol as JSON over HTTP: a model has an address of its own.
#include "form.hpp"

namespace inlay {
inline namespace v1 {
namespace {
struct json_over_http final : remote_form {
    void ask_metadata(const remote_target& t, http_request& q) const override { q.url = t.model_url; }
    std::string ask_run(const remote_target& t, std::span<const remote_port> ports, std::span<const buffer> inputs,
                        std::span<const remote_port> outputs, http_request& q) const override {
        q.what = http_request::form::json;
        q.url = t.model_url + "/infer";
        return write_request(ports, inputs, outputs, t.options.binary, q.body, q.json_bytes);
    }
    std::string refusal_in(const http_answer& a, const http_connection& from) const override {
        return a.status == 200 ? "" : refusal_of_status(a, from.quoted(error_text(a.body)));
    }
    std::string read_metadata(const http_answer& a, served_model& to) const override {
        return inlay::read_metadata(a.body, to);
    }
    std::string read_outputs(const http_answer& a, std::span<const remote_port> ports,
                             std::span<const buffer> outputs) const override {
        return read_answer(a.body, a.json_bytes, ports, outputs);
    }
};
}  // namespace

const remote_form& json_form() {
    static const json_over_http form;
    return form;
}
std::string refusal_of_status(const http_answer& a, const std::string& text) {
    const std::string status = "the server answers " + std::to_string(a.status), says = text.empty() ? "" : ": " + text;
    if (a.status == 401 || a.status == 403) return "unauthorised: " + status + says;
    if (a.status >= 300 && a.status < 400) return "redirected: " + status + ", and redirects are not followed";
    if (a.status >= 400 && a.status < 500) return "refused: " + status + says;
    return (a.status >= 500 ? "server error: " : "wrong answer: ") + status + says;
}
}  // namespace v1
}  // namespace inlay
