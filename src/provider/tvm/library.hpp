// TVM's C interface as a table of functions, and its global functions by name. The libraries are opened when first
// used: a program must start where there are none. Calls that fail throw refused_node.
#pragma once
#include <lowering/refusal.hpp>
#include <platform/shared_library.hpp>
#include <span>
#include <tvm/ffi/c_api.h>
#include <utility>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace tvm_calls {
#define INLAY_TVM_FUNCTIONS(X) \
    X(TVMFFIGetVersion) \
    X(TVMFFIFunctionGetGlobal) \
    X(TVMFFIFunctionCall) \
    X(TVMFFIAnyViewToOwnedAny) \
    X(TVMFFIErrorMoveFromRaised) \
    X(TVMFFIObjectIncRef) \
    X(TVMFFIObjectDecRef)
struct functions {
    INLAY_FUNCTION_TABLE(INLAY_TVM_FUNCTIONS, INLAY_DECLARED_FUNCTION)
    std::string version;  // of the C interface
};
const functions& library();

// A value of TVM's: a number, or a counted reference to an object.
class object {
    TVMFFIAny any_{};
    bool counted() const { return any_.type_index >= kTVMFFIStaticObjectBegin; }

  public:
    object() = default;
    explicit object(const TVMFFIAny& owned) : any_(owned) {}
    object(object&& o) noexcept : any_(std::exchange(o.any_, {})) {}
    object(const object& o) : any_(o.any_) {
        if (counted()) library().TVMFFIObjectIncRef(any_.v_obj);
    }
    object& operator=(object o) noexcept {
        std::swap(any_, o.any_);
        return *this;
    }
    ~object() {
        if (counted()) library().TVMFFIObjectDecRef(any_.v_obj);
    }
    const TVMFFIAny& any() const { return any_; }
    std::int64_t integer() const { return any_.v_int64; }
    const void* address() const { return counted() ? any_.v_obj : nullptr; }
    explicit operator bool() const { return any_.type_index != kTVMFFINone; }
    std::string text() const;  // of a string
};

// What a call takes, for as long as it runs.
struct argument {
    TVMFFIAny any{};
    argument(std::nullptr_t) {}
    argument(bool b) {
        any.type_index = kTVMFFIBool;
        any.v_int64 = b;
    }
    argument(int i) : argument(std::int64_t(i)) {}
    argument(std::int64_t i) {
        any.type_index = kTVMFFIInt;
        any.v_int64 = i;
    }
    argument(double d) {
        any.type_index = kTVMFFIFloat;
        any.v_float64 = d;
    }
    argument(const char* text) {
        any.type_index = kTVMFFIRawStr;
        any.v_c_str = text;
    }
    argument(const std::string& text) : argument(text.c_str()) {}
    argument(const object& o) : any(o.any()) {}
    argument(DLTensor* t) {
        any.type_index = kTVMFFIDLTensorPtr;
        any.v_ptr = t;
    }
};
object call_function(const object& function, std::span<TVMFFIAny> arguments);
object global_function(const char* name);

template <class... A> object call(const object& function, const A&... a) {
    TVMFFIAny list[sizeof...(A) + 1] = {argument(a).any...};
    return call_function(function, {list, sizeof...(A)});
}
template <class... A> object call(const char* name, const A&... a) { return call(global_function(name), a...); }
// A container of TVM's: ffi.Array of elements, or ffi.Map of keys that values follow.
template <class T> object container(const char* name, std::span<const T> list) {
    std::vector<TVMFFIAny> arguments;
    for (const T& x : list) arguments.push_back(argument(x).any);
    return call_function(global_function(name), arguments);
}
inline object array(std::span<const object> list) { return container("ffi.Array", list); }
inline object array(std::span<const std::int64_t> list) { return container("ffi.Array", list); }
inline object array(const object& only) { return array(std::span(&only, 1)); }
inline object empty_array() { return array(std::span<const object>()); }
std::vector<object> elements(const object& array);
object module_of(std::span<const std::pair<std::string, object>> functions);  // by their names
}  // namespace tvm_calls
}  // namespace v1
}  // namespace inlay
