// Lists of providers.
#include "session.hpp"
#include <algorithm>
#include <cctype>

namespace inlay_node {
namespace {
using option = std::pair<std::string, std::string>;

bool has_capitals(const std::string& name) {
    return std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isupper(c); });
}
std::string in_snake_case(const std::string& name) {  // deviceId: device_id
    std::string text;
    for (const unsigned char c : name) {
        if (std::isupper(c)) text += '_';
        text += char(std::tolower(c));
    }
    return text;
}
// By its own name, else as JavaScript's programs for ONNX Runtime write it.
void set_option(inlay_providers* list, const option& o) {
    failure_handle failure(inlay_providers_set(list, o.first.c_str(), o.second.c_str()));
    if (!failure) return;
    const bool is_unknown = inlay_failure_code(failure.get()) == INLAY_FAILURE_UNKNOWN_OPTION;
    if (!is_unknown || !has_capitals(o.first)) throw failed{std::move(failure)};
    const failure_handle second(inlay_providers_set(list, in_snake_case(o.first).c_str(), o.second.c_str()));
    if (!second) return;
    if (inlay_failure_code(second.get()) == INLAY_FAILURE_UNKNOWN_OPTION) throw failed{std::move(failure)};
    check(inlay_providers_set(list, in_snake_case(o.first).c_str(), o.second.c_str()));
}
napi_value built_providers(const call& c) {
    return to_javascript(c.env, infos_of(make<providers_handle>(inlay_providers_built).get()));
}
}  // namespace

std::vector<provider_info> infos_of(const inlay_providers* list) {
    std::vector<provider_info> infos;
    for (std::int64_t k = 0; k < inlay_providers_count(list); ++k) {
        provider_info info{
            inlay_providers_name(list, k), inlay_providers_status(list, k), inlay_providers_checked_on(list, k), {}};
        for (std::int64_t o = 0; o < inlay_providers_option_count(list, k); ++o)
            info.options.emplace_back(inlay_providers_option_name(list, k, o), inlay_providers_option_text(list, k, o));
        infos.push_back(std::move(info));
    }
    return infos;
}
napi_value to_javascript(napi_env env, const std::vector<provider_info>& infos) {
    const napi_value list = array_value(env);
    for (const provider_info& info : infos) {
        const napi_value object = object_value(env), options = object_value(env);
        for (const option& o : info.options) set(env, options, o.first.c_str(), text_value(env, o.second));
        set(env, object, "name", text_value(env, info.name));
        set(env, object, "options", options);
        set(env, object, "status", text_value(env, info.status));
        set(env, object, "checkedOn", text_value(env, info.checked_on));
        append(env, list, object);
    }
    return list;
}
std::vector<option> text_pairs_of(napi_env env, napi_value value, const std::string& subject) {
    std::vector<option> pairs;
    for (const napi_value element : elements_of(env, value, subject)) {
        std::vector<std::string> texts = names_of(env, element, "an entry of " + subject);
        if (texts.size() != 2) throw_type_error(env, "inlay: " + subject + " must be pairs of a name and a text");
        pairs.emplace_back(std::move(texts[0]), std::move(texts[1]));
    }
    return pairs;
}
std::vector<provider_request> requests_of(napi_env env, napi_value value) {
    std::vector<provider_request> requests;
    for (const napi_value element : elements_of(env, value, "executionProviders")) {
        if (type_of(env, element) != napi_object) throw_type_error(env, "inlay: a provider must be an object");
        provider_request request;
        const auto text_at = [&](const char* name) {
            const napi_value text = property(env, element, name);
            return is_absent(env, text) ? std::string() : name_of(env, text, "the name of a provider");
        };
        request.name = text_at("name");
        request.plugin = text_at("plugin");
        request.options = text_pairs_of(env, property(env, element, "options"), "the options of a provider");
        requests.push_back(std::move(request));
    }
    return requests;
}
providers_handle list_of(const std::vector<provider_request>& requests) {
    auto list = make<providers_handle>(inlay_providers_new);
    for (const provider_request& request : requests) {
        if (request.plugin.empty()) {
            check(inlay_providers_add(list.get(), request.name.c_str()));
        } else {
            check(inlay_providers_add_plugin(list.get(), request.plugin.c_str()));
        }
        for (const option& o : request.options) set_option(list.get(), o);
    }
    return list;
}
void define_providers(napi_env env, napi_value exports) { define<built_providers>(env, exports, "builtProviders"); }
}  // namespace inlay_node
