// Sessions: created, described, planned. run.cpp runs them.
#include "session.hpp"
#include "value.hpp"

namespace inlay_node {
namespace {
struct port_info {
    std::string name, type_text;
    std::int32_t kind = 0, type = 0;
    bool has_rank = false;
    std::vector<std::int64_t> dims{};
    std::vector<std::string> dim_names{};
};
port_info info_of(const inlay_port* port) {
    port_info info;
    info.name = inlay_port_name(port);
    info.type_text = inlay_port_type_text(port);
    info.kind = inlay_port_kind(port);
    info.type = inlay_port_type(port);
    const std::int32_t rank = inlay_port_rank(port);
    info.has_rank = rank >= 0;
    for (std::int32_t axis = 0; axis < rank; ++axis) {
        info.dims.push_back(inlay_port_dims(port)[axis]);
        info.dim_names.emplace_back(inlay_port_dim_name(port, axis));
    }
    return info;
}
napi_value shape_of(napi_env env, const port_info& info) {
    const napi_value shape = array_value(env, info.dims.size());
    for (std::size_t axis = 0; axis < info.dims.size(); ++axis) {
        const bool is_fixed = info.dims[axis] >= 0;
        set(env, shape, axis,
            is_fixed ? number_value(env, double(info.dims[axis])) : text_value(env, info.dim_names[axis]));
    }
    return shape;
}
napi_value to_javascript(napi_env env, const std::vector<port_info>& infos) {
    const napi_value list = array_value(env);
    for (const port_info& info : infos) {
        const napi_value object = object_value(env);
        const bool is_tensor = info.kind == INLAY_KIND_TENSOR;
        set(env, object, "name", text_value(env, info.name));
        set(env, object, "isTensor", bool_value(env, is_tensor));
        if (is_tensor) set(env, object, "type", type_name(env, info.type));
        if (is_tensor && info.has_rank) set(env, object, "shape", shape_of(env, info));
        set(env, object, "onnxType", text_value(env, info.type_text));
        append(env, list, object);
    }
    return list;
}

// Those that its creation returns, too.
struct description {
    std::vector<port_info> inputs{}, outputs{};
    std::vector<provider_info> providers{};
};
description description_of(const session& s) {
    description d;
    for (std::int64_t k = 0; k < inlay_model_input_count(s.model.get()); ++k)
        d.inputs.push_back(info_of(inlay_model_input(s.model.get(), k)));
    for (std::int64_t k = 0; k < inlay_model_output_count(s.model.get()); ++k)
        d.outputs.push_back(info_of(inlay_model_output(s.model.get(), k)));
    d.providers = infos_of(make<providers_handle>(inlay_session_providers, s.handle.get()).get());
    return d;
}

class creation : public task {
    std::shared_ptr<session> session_ = std::make_shared<session>();
    std::string path_{};  // empty: bytes
    const void* bytes_ = nullptr;
    std::int64_t size_ = 0;
    std::vector<std::uint8_t> copy_{};  // of bytes that cannot be borrowed
    std::vector<std::pair<std::string, std::string>> model_options_, session_options_;
    std::vector<provider_request> providers_;
    description description_{};

    static std::int32_t report(void* data, std::int32_t stage, std::int64_t count, std::int64_t total) {
        const auto& s = *static_cast<session*>(data);
        if (s.cancel && s.cancel->requested()) return 0;
        return !s.progress || s.progress->progress(stage, count, total);
    }
    static void log(void* data, std::int32_t severity, const char* text) {
        static_cast<session*>(data)->log->log(severity, text);
    }
    void read_bytes(napi_env env, napi_value array) {
        bool is_array = false;
        check(env, napi_is_typedarray(env, array, &is_array));
        if (!is_array) throw_type_error(env, "inlay: a model must be a path or a Uint8Array");
        napi_typedarray_type type = napi_int8_array;
        void* data = nullptr;
        std::size_t length = 0;
        check(env, napi_get_typedarray_info(env, array, &type, &length, &data, nullptr, nullptr));
        if (type != napi_uint8_array) throw_type_error(env, "inlay: a model must be a path or a Uint8Array");
        size_ = std::int64_t(length);
        bytes_ = data;
        if (guard_memory(env, array, "a model")) {
            pin_one(env, array);
        } else {
            const auto* const first = static_cast<const std::uint8_t*>(data);
            copy_.assign(first, first + length);
            bytes_ = copy_.data();
        }
    }

  public:
    // source: a path or a Uint8Array; settings: {model, session, providers, progress, log}
    creation(napi_env env, napi_value source, napi_value settings, napi_value cancelled)
        : model_options_(text_pairs_of(env, property(env, settings, "model"), "the options of a model")),
          session_options_(text_pairs_of(env, property(env, settings, "session"), "the options of a session")),
          providers_(requests_of(env, property(env, settings, "providers"))) {
        cancel = session_->cancel = cancellation_of(env, cancelled);
        const auto listens = [&](const char* name) -> std::shared_ptr<listener> {
            const napi_value function = property(env, settings, name);
            return is_absent(env, function) ? nullptr : std::make_shared<listener>(env, function, name);
        };
        session_->progress = listens("progress");
        session_->log = listens("log");
        if (type_of(env, source) == napi_string) {
            path_ = name_of(env, source, "the path of a model");
        } else {
            read_bytes(env, source);
        }
    }
    void execute() override {
        session& s = *session_;
        const auto model_options = make<options_handle>(inlay_model_options_new);
        for (const auto& [name, text] : model_options_)
            check(inlay_options_set(model_options.get(), name.c_str(), text.c_str()));
        check(inlay_options_set_progress(model_options.get(), report, &s));
        s.model = path_.empty() ? make<model_handle>(inlay_model_parse, bytes_, size_, model_options.get())
                                : make<model_handle>(inlay_model_load, path_.c_str(), model_options.get());
        copy_ = {};
        const auto session_options = make<options_handle>(inlay_session_options_new);
        for (const auto& [name, text] : session_options_)
            check(inlay_options_set(session_options.get(), name.c_str(), text.c_str()));
        check(inlay_options_set_progress(session_options.get(), report, &s));
        if (s.log) check(inlay_options_set_log(session_options.get(), log, &s));
        const providers_handle list = list_of(providers_);
        s.handle = make<session_handle>(inlay_session_new, s.model.get(), list.get(), session_options.get());
        description_ = description_of(s);
        s.cancel.reset();  // what is requested from now on ends no plan of later runs
    }
    napi_value result(napi_env env) override {
        const napi_value object = object_value(env);
        set(env, object, "session", wrapped(env, session_));
        set(env, object, "inputs", to_javascript(env, description_.inputs));
        set(env, object, "outputs", to_javascript(env, description_.outputs));
        set(env, object, "providers", inlay_node::to_javascript(env, description_.providers));
        return object;
    }
};

napi_value create(const call& c) { return start(c.env, std::make_unique<creation>(c.env, c[0], c[1], c[2])); }
napi_value new_cancellation(const call& c) { return wrapped(c.env, std::make_shared<cancellation>()); }
napi_value cancel(const call& c) {
    object_of<cancellation>(c.env, c[0])->request();
    return undefined(c.env);
}
napi_value cancel_running(const call& c) {
    for (cancellation* running : environment_of(c.env).running) running->request();
    return undefined(c.env);
}

template <auto Function> napi_value report(const call& c) {
    const auto s = object_of<session>(c.env, c[0]);
    return start_text(c.env, [s, shapes = named_shapes(c.env, c[1])] {
        char* json = nullptr;
        const auto f = [&](auto... arguments) { return Function(arguments..., &json); };
        check(shapes.call<inlay_failure*>(f, s->handle.get()));
        const std::unique_ptr<char, freed_by<inlay_text_free>> owner(json);
        return std::string(json);
    });
}
napi_value set_providers(const call& c) {
    const auto s = object_of<session>(c.env, c[0]);
    return start(
        c.env,
        [s, requests = requests_of(c.env, c[1])] {
            const providers_handle list = list_of(requests);
            check(inlay_session_set_providers(s->handle.get(), list.get()));
            return infos_of(make<providers_handle>(inlay_session_providers, s->handle.get()).get());
        },
        [](napi_env env, const std::vector<provider_info>& infos) { return inlay_node::to_javascript(env, infos); });
}
napi_value release_memory(const call& c) {
    const auto s = object_of<session>(c.env, c[0]);
    return start(
        c.env, [s] { return check(inlay_session_release_memory(s->handle.get())), true; },
        [](napi_env env, bool) { return undefined(env); });
}
napi_value metadata(const call& c) {
    const auto s = object_of<session>(c.env, c[0]);
    const char* const text = inlay_model_metadata(s->model.get(), name_of(c.env, c[1], "the key").c_str());
    return text ? text_value(c.env, text) : undefined(c.env);
}
napi_value release_session(const call& c) { return release<session>(c.env, c[0]); }
}  // namespace

named_shapes::named_shapes(napi_env env, napi_value value) {
    if (is_absent(env, value)) return;
    names = names_of(env, property(env, value, "names"), "the names of shapes");
    const std::vector<napi_value> shapes = elements_of(env, property(env, value, "shapes"), "the shapes");
    if (shapes.size() != names.size()) throw_type_error(env, "inlay: there must be a shape for each name");
    for (std::size_t k = 0; k < names.size(); ++k) {
        const std::vector<std::int64_t> shape = dims_of(env, shapes[k], "the shape of `" + names[k] + "`");
        ranks.push_back(std::int32_t(shape.size()));
        dims.insert(dims.end(), shape.begin(), shape.end());
    }
}

void define_session(napi_env env, napi_value exports) {
    define<create>(env, exports, "create");
    define<new_cancellation>(env, exports, "newCancellation");
    define<cancel>(env, exports, "cancel");
    define<cancel_running>(env, exports, "cancelRunning");
    define<report<inlay_session_plan>>(env, exports, "plan");
    define<report<inlay_session_memory>>(env, exports, "memory");
    define<set_providers>(env, exports, "setProviders");
    define<release_memory>(env, exports, "releaseMemory");
    define<metadata>(env, exports, "metadata");
    define<release_session>(env, exports, "releaseSession");
}
}  // namespace inlay_node
