// The functions of <inlay.h> where an allocation fails: each returns a failure, and the same call works
// afterwards.
#include "trials.hpp"
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <inlay.h>
#include <memory>
#include <vector>

namespace inlay::testing {
namespace {
template <class T, void (*Free)(T*)> struct freed {
    void operator()(T* handle) const { Free(handle); }
};
template <class T, void (*Free)(T*)> using owned = std::unique_ptr<T, freed<T, Free>>;
using owned_model = owned<inlay_model, inlay_model_free>;
using owned_session = owned<inlay_session, inlay_session_free>;
using owned_value = owned<inlay_any_value, inlay_value_free>;
using owned_binding = owned<inlay_binding, inlay_binding_free>;
using owned_providers = owned<inlay_providers, inlay_providers_free>;
using owned_options = owned<inlay_options, inlay_options_free>;

// Whether the call went well. A failure must say what happened.
bool good(inlay_failure* failure) {
    if (!failure) return true;
    const bool has_text = *inlay_failure_text(failure) != '\0' && inlay_failure_code(failure) >= 0;
    inlay_failure_free(failure);
    if (!has_text) throw std::logic_error("a failure without text or code");
    return false;
}
struct refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};
void must(inlay_failure* failure) {
    if (!failure) return;
    const std::string text = inlay_failure_text(failure);
    inlay_failure_free(failure);
    throw refusal(text);
}
owned_model load(const std::string& file) {
    inlay_model* m = nullptr;
    must(inlay_model_load(file.c_str(), nullptr, &m));
    return owned_model(m);
}
owned_session open(const inlay_model* m, const inlay_providers* list = nullptr) {
    inlay_options* o = nullptr;
    must(inlay_session_options_new(&o));
    const owned_options options(o);
    must(inlay_options_set(o, "intra_op_num_threads", "1"));
    must(inlay_options_set(o, "log_severity_level", "4"));
    inlay_session* s = nullptr;
    must(inlay_session_new(m, list, o, &s));
    return owned_session(s);
}

struct inputs {
    std::vector<const char*> names{};
    std::vector<owned_value> values{};
    std::vector<inlay_any_value*> handles{};
    std::vector<std::int32_t> ranks{};
    std::vector<std::int64_t> dims{};
    std::int64_t outputs = 0;
    bool tensors = true;  // and nothing else
};
owned_value value_for(const inlay_port* port) {
    inlay_any_value* v = nullptr;
    if (inlay_port_kind(port) == INLAY_KIND_SEQUENCE) must(inlay_value_sequence(nullptr, 0, &v));
    if (inlay_port_kind(port) == INLAY_KIND_OPTIONAL) must(inlay_value_optional(nullptr, &v));
    if (inlay_port_kind(port) == INLAY_KIND_MAP) {
        const std::int64_t key_count = 0;
        inlay_any_value* keys = nullptr;
        must(inlay_value_new(INLAY_TYPE_INT64, &key_count, 1, nullptr, &keys));
        const owned_value freed(keys);
        must(inlay_value_map(keys, nullptr, 0, &v));
    }
    if (v) return owned_value(v);
    std::vector<std::int64_t> dims(inlay_port_dims(port), inlay_port_dims(port) + std::max(0, inlay_port_rank(port)));
    for (std::int64_t& size : dims)
        if (size < 0) size = 2;
    const std::int32_t type = inlay_port_type(port);
    must(inlay_value_new(type, dims.data(), int(dims.size()), nullptr, &v));
    owned_value value(v);
    for (std::int64_t k = 0; k < inlay_value_count(v); ++k) {
        if (type == INLAY_TYPE_FLOAT) static_cast<float*>(inlay_value_data(v))[k] = float(k % 7) / 4 - 0.5f;
        if (type == INLAY_TYPE_INT64) static_cast<std::int64_t*>(inlay_value_data(v))[k] = 3;
        if (type == INLAY_TYPE_BOOL) static_cast<char*>(inlay_value_data(v))[k] = 1;
        if (type == INLAY_TYPE_STRING) must(inlay_value_set_string(v, k, "words longer than a small string", -1));
    }
    return value;
}
inputs inputs_of(const inlay_model* m) {
    inputs in;
    in.outputs = inlay_model_output_count(m);
    for (std::int64_t k = 0; k < inlay_model_input_count(m); ++k) {
        const inlay_port* const port = inlay_model_input(m, k);
        in.names.push_back(inlay_port_name(port));
        in.values.push_back(value_for(port));
        inlay_any_value* const v = in.values.back().get();
        in.handles.push_back(v);
        in.tensors = in.tensors && inlay_value_kind(v) == INLAY_KIND_TENSOR;
        in.ranks.push_back(inlay_value_rank(v));
        in.dims.insert(in.dims.end(), inlay_value_dims(v), inlay_value_dims(v) + std::max(0, inlay_value_rank(v)));
    }
    return in;
}

std::string text_of(const inlay_any_value* v) {
    std::string text = std::to_string(inlay_value_kind(v)) + ":" + std::to_string(inlay_value_count(v));
    if (inlay_value_type(v) == INLAY_TYPE_STRING)
        for (std::int64_t k = 0; k < inlay_value_count(v); ++k) text += inlay_value_string(v, k, nullptr);
    else if (const auto* bytes = static_cast<const unsigned char*>(inlay_value_data(const_cast<inlay_any_value*>(v))))
        for (std::int64_t k = 0; k < inlay_value_bytes(v); ++k)
            text += char('a' + bytes[k] % 16), text += char('a' + bytes[k] / 16);
    return text;
}
std::string run(const inlay_session* s, const inputs& in) {
    std::vector<inlay_any_value*> results(std::size_t(in.outputs), nullptr);
    must(inlay_session_run(s, in.names.data(), in.handles.data(), std::int64_t(in.names.size()), nullptr,
                           results.data(), in.outputs, nullptr, nullptr));
    std::string text;
    for (inlay_any_value* v : results) {
        text += text_of(v);
        inlay_value_free(v);
    }
    return text;
}
owned_binding bind(const inlay_session* s, const inputs& in) {
    inlay_binding* b = nullptr;
    must(inlay_session_bind(s, in.names.data(), in.ranks.data(), in.dims.data(), std::int64_t(in.names.size()), &b));
    return owned_binding(b);
}

struct subject {
    std::string file, expected{};
    bool binds = false;
};
void load_stage(const subject& s, attempt& a) {
    a.returned([&] {
        inlay_model* m = nullptr;
        if (good(inlay_model_load(s.file.c_str(), nullptr, &m)) != (m != nullptr))
            throw std::logic_error("a failure with a handle");
        inlay_model_free(m);
    });
    a.afterwards(s.expected, [&] {
        const auto m = load(s.file);
        return run(open(m.get()).get(), inputs_of(m.get()));
    });
}
void session_stage(const subject& s, attempt& a) {
    const auto m = load(s.file);
    a.returned([&] {
        inlay_providers* list = nullptr;
        if (!good(inlay_providers_new(&list))) return;
        const owned_providers freed(list);
        if (!good(inlay_providers_add(list, "cpu")) || !good(inlay_providers_set(list, "threads", "2"))) return;
        inlay_session* session = nullptr;
        if (good(inlay_session_new(m.get(), list, nullptr, &session)))
            (void)good(inlay_session_set_providers(session, nullptr));
        inlay_session_free(session);
    });
    a.afterwards(s.expected, [&] { return run(open(m.get()).get(), inputs_of(m.get())); });
}
void run_stage(const subject& s, attempt& a) {
    const auto m = load(s.file);
    const auto session = open(m.get());
    const inputs in = inputs_of(m.get());
    std::vector<inlay_any_value*> results(std::size_t(in.outputs), nullptr);
    a.returned([&] {
        (void)good(inlay_session_run(session.get(), in.names.data(), in.handles.data(), std::int64_t(in.names.size()),
                                     nullptr, results.data(), in.outputs, nullptr, nullptr));
    });
    for (inlay_any_value* v : results) inlay_value_free(v);
    a.afterwards(s.expected, [&] { return run(session.get(), in); });
}
void report_stage(const subject& s, attempt& a) {
    const auto m = load(s.file);
    const auto session = open(m.get());
    a.returned([&] {
        char* json = nullptr;
        (void)good(inlay_session_plan(session.get(), nullptr, nullptr, nullptr, 0, &json));
        inlay_text_free(json);
        json = nullptr;
        (void)good(inlay_session_memory(session.get(), nullptr, nullptr, nullptr, 0, &json));
        inlay_text_free(json);
    });
    a.afterwards(s.expected, [&] { return run(session.get(), inputs_of(m.get())); });
}
void bind_stage(const subject& s, attempt& a) {
    const auto m = load(s.file);
    const auto session = open(m.get());
    const inputs in = inputs_of(m.get());
    a.returned([&] {
        inlay_binding* b = nullptr;
        if (!good(inlay_session_bind(session.get(), in.names.data(), in.ranks.data(), in.dims.data(),
                                     std::int64_t(in.names.size()), &b)))
            return;
        const owned_binding freed(b);
        for (std::size_t k = 0; k < in.names.size(); ++k)
            if (!good(inlay_binding_set_input(b, in.names[k], in.handles[k]))) return;
        if (!good(inlay_binding_run(b, nullptr))) return;
        char* json = nullptr;
        (void)good(inlay_binding_profile(b, 1, nullptr, &json));
        inlay_text_free(json);
    });
    a.afterwards(s.expected, [&] { return run(session.get(), in); });
}
void value_stage(const subject& s, attempt& a) {
    const auto m = load(s.file);
    const inputs in = inputs_of(m.get());
    a.returned([&] {
        for (inlay_any_value* v : in.handles) {
            inlay_any_value *copy = nullptr, *list = nullptr, *item = nullptr;
            if (inlay_value_kind(v) == INLAY_KIND_TENSOR) (void)good(inlay_value_copy(v, nullptr, &copy));
            if (good(inlay_value_sequence(&v, 1, &list))) (void)good(inlay_value_item(list, 0, &item));
            for (inlay_any_value* value : {copy, list, item}) inlay_value_free(value);
        }
    });
    a.afterwards(s.expected, [&] { return run(open(m.get()).get(), in); });
}

std::vector<fault_trial> trials_of(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".onnx") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<fault_trial> trials;
    for (const auto& file : files) {
        const auto s = std::make_shared<subject>(subject{file.string()});
        const auto m = load(s->file);
        const auto session = open(m.get());
        const inputs in = inputs_of(m.get());
        s->expected = run(session.get(), in);
        try {
            s->binds = in.tensors && bind(session.get(), in);
        } catch (const refusal&) {
            s->binds = false;
        }
        const auto add = [&](const std::string& stage, void (*part)(const subject&, attempt&)) {
            trials.push_back({file.stem().string(), stage, [s, part](attempt& a) { part(*s, a); }});
        };
        add("load", load_stage);
        add("session", session_stage);
        add("run", run_stage);
        add("reports", report_stage);
        add("values", value_stage);
        if (s->binds) add("bind", bind_stage);
    }
    return trials;
}
}  // namespace
}  // namespace inlay::testing

int main(int count, char** words) { return inlay::testing::run_trials(count, words, inlay::testing::trials_of); }
