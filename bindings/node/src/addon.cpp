// The addon: what index.js of the package calls. Each environment of node (the main thread, a worker) has its own
// state.
#include "session.hpp"

namespace inlay_node {
namespace {
// initialize(InlayError, markAsUntransferable)
napi_value initialize(const call& c) {
    environment& e = environment_of(c.env);
    if (e.error_class) throw_error(c.env, "invalid_argument", "inlay: the addon is initialized already");
    for (const int k : {0, 1})
        if (type_of(c.env, c[k]) != napi_function) throw_type_error(c.env, "inlay: initialize() takes two functions");
    check(c.env, napi_create_reference(c.env, c[0], 1, &e.error_class));
    check(c.env, napi_create_reference(c.env, c[1], 1, &e.mark_untransferable));
    return undefined(c.env);
}
napi_value version(const call& c) { return text_value(c.env, inlay_version()); }
napi_value init(napi_env env, napi_value exports) {
    if (inlay_api_version() < INLAY_API_VERSION) {
        napi_throw_error(env, nullptr, "inlay: libinlay.so is older than this package");
        return nullptr;
    }
    const auto destroy = [](napi_env, void* data, void*) { delete static_cast<environment*>(data); };
    check(env, napi_set_instance_data(env, new environment, destroy, nullptr));
    define<initialize>(env, exports, "initialize");
    define<version>(env, exports, "version");
    define_session(env, exports);
    define_run(env, exports);
    define_binding(env, exports);
    define_cache(env, exports);
    define_providers(env, exports);
    return exports;
}
}  // namespace
}  // namespace inlay_node

NAPI_MODULE_INIT() {
    try {
        return inlay_node::init(env, exports);
    } catch (...) {
        return nullptr;
    }
}
