// Values of JavaScript by Node-API: read with checks, written, thrown.
#pragma once
#include "handles.hpp"
#include <cstdint>
#include <memory>
#include <node_api.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace inlay_node {
class cancellation;

// What belongs to one environment of node: the main thread's, or that of a worker.
struct environment {
    napi_ref error_class = nullptr;          // InlayError
    napi_ref mark_untransferable = nullptr;  // of node:worker_threads
    std::multiset<cancellation*> running{};  // of work that has begun
};
environment& environment_of(napi_env);

struct exception_pending {};  // thrown: JavaScript's exception is set already
void check(napi_env, napi_status);
[[noreturn]] void throw_type_error(napi_env, const std::string& text);
[[noreturn]] void throw_range_error(napi_env, const std::string& text);

// An InlayError.
napi_value error_of(napi_env, const inlay_failure*);
napi_value error_of(napi_env, std::string_view code, const std::string& text);
[[noreturn]] void throw_error(napi_env, std::string_view code, const std::string& text);
napi_value exception_taken(napi_env);  // the one that is pending, which is so no more

napi_value undefined(napi_env);
napi_value text_value(napi_env, std::string_view);
napi_value number_value(napi_env, double);
napi_value bool_value(napi_env, bool);
napi_value array_value(napi_env, std::size_t length = 0);
napi_value object_value(napi_env);
void set(napi_env, napi_value object, const char* name, napi_value);
void set(napi_env, napi_value array, std::size_t index, napi_value);
void append(napi_env, napi_value array, napi_value);

napi_valuetype type_of(napi_env, napi_value);
bool is_absent(napi_env, napi_value);  // undefined or null
napi_value property(napi_env, napi_value object, const char* name);
// The elements of an array; `subject` is how errors call it.
std::vector<napi_value> elements_of(napi_env, napi_value, const std::string& subject);
// Texts without a lone surrogate, which UTF-8 has not; a name has no NUL either.
std::string string_of(napi_env, napi_value, const std::string& subject);
std::string name_of(napi_env, napi_value, const std::string& subject);
std::vector<std::string> names_of(napi_env, napi_value, const std::string& subject);
std::int64_t integer_of(napi_env, napi_value, const std::string& subject);  // not negative
std::vector<std::int64_t> dims_of(napi_env, napi_value, const std::string& subject);
std::vector<const char*> pointers_to(const std::vector<std::string>&);

// Objects of C++ that JavaScript holds. T::tag marks their kind, T::kind is its name.
template <class T> std::shared_ptr<T>& slot_of(napi_env env, napi_value value) {
    bool tagged = false;
    if (type_of(env, value) == napi_object) check(env, napi_check_object_type_tag(env, value, &T::tag, &tagged));
    if (!tagged) throw_type_error(env, std::string("inlay: this is no ") + T::kind);
    void* slot = nullptr;
    check(env, napi_unwrap(env, value, &slot));
    return *static_cast<std::shared_ptr<T>*>(slot);
}
template <class T> std::shared_ptr<T> object_of(napi_env env, napi_value value) {
    std::shared_ptr<T> object = slot_of<T>(env, value);
    if (!object) throw_error(env, "invalid_argument", std::string("inlay: the ") + T::kind + " was released");
    return object;
}
template <class T> napi_value wrapped(napi_env env, std::shared_ptr<T> object) {
    const napi_value handle = object_value(env);
    check(env, napi_type_tag_object(env, handle, &T::tag));
    auto slot = std::make_unique<std::shared_ptr<T>>(std::move(object));
    const auto destroy = [](napi_env, void* data, void*) { delete static_cast<std::shared_ptr<T>*>(data); };
    check(env, napi_wrap(env, handle, slot.get(), destroy, nullptr, nullptr));
    slot.release();
    return handle;
}

// The arguments of a call; those that are missing are undefined.
struct call {
    napi_env env;
    napi_value arguments[8];
    call(napi_env, napi_callback_info);
    napi_value operator[](int index) const { return arguments[index]; }
};
using function = napi_value (*)(const call&);
napi_value guarded(napi_env, napi_callback_info, function) noexcept;
void define(napi_env, napi_value exports, const char* name, napi_callback);
// body as a function of Node-API: what it throws becomes an exception of JavaScript.
template <function Body> void define(napi_env env, napi_value exports, const char* name) {
    define(env, exports, name, [](napi_env e, napi_callback_info info) { return guarded(e, info, Body); });
}
}  // namespace inlay_node
