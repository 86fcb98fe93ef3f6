// Handles that free themselves, and failures that tests look at.
#pragma once
#include "../catch.hpp"
#include <inlay.h>
#include <string>
#include <vector>

namespace inlay::testing {
template <class T, void (*Free)(T*)> class owned {
    T* handle_ = nullptr;

  public:
    owned() = default;
    owned(owned&& source) noexcept : handle_(source.handle_) { source.handle_ = nullptr; }
    owned& operator=(owned&& source) noexcept {
        std::swap(handle_, source.handle_);
        return *this;
    }
    ~owned() { Free(handle_); }
    operator T*() const { return handle_; }
    T** operator&() {  // for the functions that give a handle
        Free(handle_);
        handle_ = nullptr;
        return &handle_;
    }
};
using options = owned<inlay_options, inlay_options_free>;
using providers = owned<inlay_providers, inlay_providers_free>;
using model = owned<inlay_model, inlay_model_free>;
using value = owned<inlay_any_value, inlay_value_free>;
using session = owned<inlay_session, inlay_session_free>;
using binding = owned<inlay_binding, inlay_binding_free>;
using cache = owned<inlay_cache, inlay_cache_free>;
using text = owned<char, inlay_text_free>;

// What a call gave, which is released; code -1: no failure.
struct outcome {
    int code = -1;
    std::string name, text, node, op, provider, shapes, hint;
    int op_version = 0;
};
inline outcome outcome_of(inlay_failure* f) {
    if (!f) return {};
    outcome o{inlay_failure_code(f),   inlay_failure_name(f), inlay_failure_text(f),
              inlay_failure_node(f),   inlay_failure_op(f),   inlay_failure_provider(f),
              inlay_failure_shapes(f), inlay_failure_hint(f), inlay_failure_op_version(f)};
    inlay_failure_free(f);
    return o;
}
inline void good(inlay_failure* f) {
    const outcome o = outcome_of(f);
    INFO(o.text);
    REQUIRE(o.code == -1);
}
inline void bad(inlay_failure* f, int code, const std::string& words) {
    const outcome o = outcome_of(f);
    INFO(o.name << ": " << o.text);
    CHECK(o.code == code);
    CHECK(o.text.find(words) != std::string::npos);
}

inline std::string file_of(const std::string& name) { return std::string(MODELS "/") + name + ".onnx"; }
inline model load(const std::string& name) {
    model m;
    good(inlay_model_load(file_of(name).c_str(), nullptr, &m));
    return m;
}
inline session session_of(const std::string& name, const options& o = {}) {
    session s;
    good(inlay_session_new(load(name), nullptr, o, &s));
    return s;
}
template <class T> value tensor_of(int type, const std::vector<std::int64_t>& dims, std::vector<T>& data) {
    value v;
    good(inlay_value_borrow(type, dims.data(), int(dims.size()), data.data(), std::int64_t(data.size() * sizeof(T)),
                            nullptr, &v));
    return v;
}
template <class T> std::vector<T> elements(inlay_any_value* v) {
    const T* const first = static_cast<const T*>(inlay_value_data(v));
    REQUIRE(inlay_value_bytes(v) == inlay_value_count(v) * std::int64_t(sizeof(T)));
    return {first, first + inlay_value_count(v)};
}
}  // namespace inlay::testing
