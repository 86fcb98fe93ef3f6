// Sessions, as JavaScript holds them.
#pragma once
#include "listener.hpp"
#include "task.hpp"

namespace inlay_node {
struct provider_info {
    std::string name, status, checked_on;
    std::vector<std::pair<std::string, std::string>> options;
};
std::vector<provider_info> infos_of(const inlay_providers*);
napi_value to_javascript(napi_env, const std::vector<provider_info>&);
// A list as JavaScript has it: {name, plugin, options: [[name, text]]}.
struct provider_request {
    std::string name, plugin;
    std::vector<std::pair<std::string, std::string>> options;
};
std::vector<provider_request> requests_of(napi_env, napi_value);
providers_handle list_of(const std::vector<provider_request>&);
std::vector<std::pair<std::string, std::string>> text_pairs_of(napi_env, napi_value, const std::string& subject);

struct session {
    static constexpr napi_type_tag tag{0x8f4c1f0a6d2b4e11, 0x9a3e5c7718d20b02};
    static constexpr const char* kind = "session";
    // What threads of the library call: freed after the session.
    std::shared_ptr<listener> progress{}, log{};
    std::shared_ptr<cancellation> cancel{};  // of its creation
    model_handle model{};
    session_handle handle{};
};
struct cache {
    static constexpr napi_type_tag tag{0x8f4c1f0a6d2b4e11, 0x9a3e5c7718d20b03};
    static constexpr const char* kind = "cache";
    std::shared_ptr<session> owner{};
    cache_handle handle{};
};

// Shapes by the names of inputs, {names, shapes}; undefined: none.
struct named_shapes {
    std::vector<std::string> names{};
    std::vector<std::int32_t> ranks{};
    std::vector<std::int64_t> dims{};
    named_shapes(napi_env, napi_value);
    // f(session, names, ranks, dims, count, result)
    template <class Result, class Function> Result call(Function f, const inlay_session* s) const {
        const std::vector<const char*> pointers = pointers_to(names);
        const auto count = std::int64_t(names.size());
        if (count == 0) return f(s, nullptr, nullptr, nullptr, count);
        return f(s, pointers.data(), ranks.data(), dims.data(), count);
    }
};
// Sets what ends a run: the arguments [cancellation, milliseconds], either of which may be undefined.
std::shared_ptr<cancellation> ending_of(napi_env, napi_value cancel, napi_value milliseconds);

void define_session(napi_env, napi_value exports);
void define_run(napi_env, napi_value exports);
void define_binding(napi_env, napi_value exports);
void define_cache(napi_env, napi_value exports);
void define_providers(napi_env, napi_value exports);
}  // namespace inlay_node
