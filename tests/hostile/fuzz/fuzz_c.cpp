// libFuzzer: bytes as a sequence of calls of <inlay.h> over a few handles of each type, some of them NULL.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <inlay.h>
#include <iterator>
#include <string>
#include <vector>

namespace {
const std::string& model_bytes() {  // y = Relu(x): float [N, 4], in protobuf's wire format
    static const std::string bytes(
        "\x08\x0a\x3a\x3d\x0a\x0c\x0a\x01\x78\x12\x01\x79\x22\x04\x52\x65\x6c\x75\x12\x01\x67\x5a\x14\x0a\x01\x78"
        "\x12\x0f\x0a\x0d\x08\x01\x12\x09\x0a\x03\x12\x01\x4e\x0a\x02\x08\x04\x62\x14\x0a\x01\x79\x12\x0f\x0a\x0d"
        "\x08\x01\x12\x09\x0a\x03\x12\x01\x4e\x0a\x02\x08\x04\x42\x04\x0a\x00\x10\x15",
        71);
    return bytes;
}
class reader {
    const std::uint8_t *at_, *end_;

  public:
    reader(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    bool empty() const { return at_ == end_; }
    int byte() { return at_ == end_ ? 0 : *at_++; }
    std::int64_t number() {
        const int b = byte();
        static constexpr std::int64_t odd[] = {
            -1, -2, INT64_MAX, INT64_MIN, std::int64_t(1) << 32, std::int64_t(1) << 61};
        return b < 250 ? b % 12 : odd[b - 250];
    }
    const char* text() {
        static constexpr const char* list[] = {"x",
                                               "y",
                                               "",
                                               "cpu",
                                               "reference",
                                               "threads",
                                               "2",
                                               "optimize",
                                               "false",
                                               "fallback",
                                               "never",
                                               "only:Relu",
                                               "limits.nodes",
                                               "-1",
                                               "dimension.N",
                                               "host",
                                               "log_severity_level",
                                               "4",
                                               "plan_only",
                                               "true",
                                               "CPUExecutionProvider",
                                               "\xff\xfe",
                                               nullptr};
        return list[std::size_t(byte()) % std::size(list)];
    }
};
template <class T, void (*Free)(T*)> struct handles {
    std::array<T*, 4> list{};
    ~handles() {
        for (T* handle : list) Free(handle);
    }
    T* any(reader& r) { return list[std::size_t(r.byte()) % list.size()]; }
    T** place(reader& r) {                                             // for a new one
        T*& handle = list[std::size_t(r.byte()) % (list.size() - 1)];  // the last stays NULL
        Free(handle);
        handle = nullptr;
        return &handle;
    }
    void free(reader& r) { (void)place(r); }
};
struct state {
    // Freed from the last to the first: handles keep what they need of each other, whatever the order.
    handles<inlay_model, inlay_model_free> models{};
    handles<inlay_options, inlay_options_free> options{};
    handles<inlay_providers, inlay_providers_free> providers{};
    handles<inlay_any_value, inlay_value_free> values{};
    handles<inlay_session, inlay_session_free> sessions{};
    handles<inlay_binding, inlay_binding_free> bindings{};
    handles<inlay_cache, inlay_cache_free> caches{};
};
void end(inlay_failure* f) {
    if (!f) return;
    if (inlay_failure_code(f) < 0 || !inlay_failure_text(f) || !*inlay_failure_text(f)) std::abort();
    inlay_failure_free(f);
}
void end_text(inlay_failure* f, char*& text) {
    if (!f && !text) std::abort();
    end(f);
    inlay_text_free(text);
}
// Inputs of these names and dimensions.
struct shapes {
    const char* names[2];
    std::int32_t ranks[2];
    std::int64_t dims[4];
    std::int64_t count;
    explicit shapes(reader& r) {
        for (const char*& n : names) n = r.text();
        for (std::int32_t& rank : ranks) rank = std::int32_t(r.number() % 3);
        for (std::int64_t& d : dims) d = r.number() % 64;
        count = r.byte() % 3;
    }
};

void call_of_values(state& s, reader& r, int choice) {
    std::int64_t dims[] = {r.number() % 16, r.number() % 16};
    static std::uint8_t memory[4096];
    inlay_any_value* items[] = {s.values.any(r), s.values.any(r)};
    switch (choice % 9) {
        case 0:
            end(inlay_value_new(std::int32_t(r.number()), dims, std::int32_t(r.number() % 3),
                                r.byte() % 4 ? nullptr : r.text(), s.values.place(r)));
            break;
        case 1: {
            const std::int64_t bytes = r.number() % 64 * 64;
            end(inlay_value_borrow(std::int32_t(r.number()), dims, std::int32_t(r.number() % 3), memory, bytes, nullptr,
                                   s.values.place(r)));
            break;
        }
        case 2: {
            inlay_any_value* handle = nullptr;
            end(inlay_value_sequence(items, r.byte() % 3, &handle));
            *s.values.place(r) = handle;
            break;
        }
        case 3: {
            inlay_any_value* handle = nullptr;
            end(inlay_value_map(s.values.any(r), items, r.byte() % 3, &handle));
            *s.values.place(r) = handle;
            break;
        }
        case 4: {
            inlay_any_value* handle = nullptr;
            end(r.byte() % 2 ? inlay_value_optional(items[0], &handle)
                             : inlay_value_copy(items[0], r.byte() % 2 ? nullptr : r.text(), &handle));
            *s.values.place(r) = handle;
            break;
        }
        case 5: {
            inlay_any_value* handle = nullptr;
            end(r.byte() % 2 ? inlay_value_item(items[0], r.number(), &handle)
                             : inlay_value_key(items[0], r.number(), &handle));
            *s.values.place(r) = handle;
            break;
        }
        case 6: end(inlay_value_set_string(items[0], r.number(), r.text(), -1)); break;
        case 7: {
            std::int64_t size = 0;
            if (const char* const text = inlay_value_string(items[0], r.number(), &size); text && text[size] != '\0')
                std::abort();
            break;
        }
        default: {
            const std::int64_t bytes = inlay_value_bytes(items[0]);
            if (auto* const first = static_cast<std::uint8_t*>(inlay_value_data(items[0])); first && bytes > 0)
                first[bytes - 1] = first[0];
            s.values.free(r);
        }
    }
}
void call_of_sessions(state& s, reader& r, int choice) {
    char* json = nullptr;
    const shapes in(r);
    inlay_session* const session = s.sessions.any(r);
    switch (choice % 8) {
        case 0: {
            inlay_session* handle = nullptr;
            end(inlay_session_new(s.models.any(r), s.providers.any(r), s.options.any(r), &handle));
            *s.sessions.place(r) = handle;
            break;
        }
        case 1: end(inlay_session_set_providers(session, s.providers.any(r))); break;
        case 2: {
            inlay_any_value *inputs[] = {s.values.any(r), s.values.any(r)}, *results[2] = {};
            const char* const names[] = {r.text(), r.text()};
            end(inlay_session_run(session, in.names, inputs, in.count, r.byte() % 2 ? names : nullptr, results,
                                  r.byte() % 3, s.caches.any(r), s.options.any(r)));
            for (inlay_any_value* result : results) inlay_value_free(result);
            break;
        }
        case 3: {
            inlay_binding* handle = nullptr;
            end(inlay_session_bind(session, in.names, in.ranks, in.dims, in.count, &handle));
            *s.bindings.place(r) = handle;
            break;
        }
        case 4: {
            inlay_cache* handle = nullptr;
            end(inlay_session_make_cache(session, r.number(), &handle));
            *s.caches.place(r) = handle;
            break;
        }
        case 5: end_text(inlay_session_plan(session, in.names, in.ranks, in.dims, in.count, &json), json); break;
        case 6: end_text(inlay_session_memory(session, in.names, in.ranks, in.dims, in.count, &json), json); break;
        default: s.sessions.free(r);
    }
}
void call_of_bindings(state& s, reader& r, int choice) {
    inlay_binding* const b = s.bindings.any(r);
    inlay_any_value* handle = nullptr;
    char* json = nullptr;
    std::int64_t nodes = 0;
    switch (choice % 7) {
        case 0:
            end(r.byte() % 2 ? inlay_binding_input(b, r.text(), &handle) : inlay_binding_output(b, r.text(), &handle));
            break;
        case 1:
            end(r.byte() % 2 ? inlay_binding_set_input(b, r.text(), s.values.any(r))
                             : inlay_binding_set_output(b, r.text(), s.values.any(r)));
            break;
        case 2: end(inlay_binding_set_output_memory(b, r.text(), r.text())); break;
        case 3: end(inlay_binding_run(b, s.options.any(r))); break;
        case 4: end(inlay_binding_executed(b, r.text(), &nodes)); break;
        case 5: end_text(inlay_binding_profile(b, std::int32_t(r.number() % 4), nullptr, &json), json); break;
        default: s.bindings.free(r);
    }
    if (handle) *s.values.place(r) = handle;
}
void call_of_the_rest(state& s, reader& r, int choice) {
    switch (choice % 8) {
        case 0: {
            inlay_model* handle = nullptr;
            end(inlay_model_parse(model_bytes().data(), std::int64_t(model_bytes().size()) - r.byte() % 3 / 2,
                                  s.options.any(r), &handle));
            *s.models.place(r) = handle;
            break;
        }
        case 1: end(inlay_model_options_new(s.options.place(r))); break;
        case 2:
            end(r.byte() % 2 ? inlay_session_options_new(s.options.place(r))
                             : inlay_run_options_new(s.options.place(r)));
            break;
        case 3: end(inlay_options_set(s.options.any(r), r.text(), r.text())); break;
        case 4:
            end(r.byte() % 2 ? inlay_providers_new(s.providers.place(r)) : inlay_providers_built(s.providers.place(r)));
            break;
        case 5: end(inlay_providers_add(s.providers.any(r), r.text())); break;
        case 6: end(inlay_providers_set(s.providers.any(r), r.text(), r.text())); break;
        default: {
            const inlay_providers* const list = s.providers.any(r);
            (void)inlay_providers_option_text(list, r.number(), r.number());
            s.models.free(r);
            s.caches.free(r);
            s.options.free(r);
        }
    }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 400) return 0;
    state s;
    reader r(data, size);
    end(inlay_model_parse(model_bytes().data(), std::int64_t(model_bytes().size()), nullptr, &s.models.list[0]));
    while (!r.empty()) {
        const int call = r.byte();
        switch (call % 4) {
            case 0: call_of_values(s, r, call / 4); break;
            case 1: call_of_sessions(s, r, call / 4); break;
            case 2: call_of_bindings(s, r, call / 4); break;
            default: call_of_the_rest(s, r, call / 4);
        }
    }
    return 0;
}
