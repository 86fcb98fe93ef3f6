// The handles of <inlay.h> as owners, and its failures as exceptions of C++.
#pragma once
#include <inlay.h>
#include <memory>
#include <string>

namespace inlay_node {
template <auto Free> struct freed_by {
    template <class T> void operator()(T* handle) const { Free(handle); }
};
using failure_handle = std::unique_ptr<inlay_failure, freed_by<inlay_failure_free>>;
using options_handle = std::unique_ptr<inlay_options, freed_by<inlay_options_free>>;
using providers_handle = std::unique_ptr<inlay_providers, freed_by<inlay_providers_free>>;
using model_handle = std::unique_ptr<inlay_model, freed_by<inlay_model_free>>;
using value_handle = std::unique_ptr<inlay_any_value, freed_by<inlay_value_free>>;
using session_handle = std::unique_ptr<inlay_session, freed_by<inlay_session_free>>;
using binding_handle = std::unique_ptr<inlay_binding, freed_by<inlay_binding_free>>;
using cache_handle = std::unique_ptr<inlay_cache, freed_by<inlay_cache_free>>;

struct failed {  // thrown
    failure_handle failure;
};
inline void check(inlay_failure* failure) {
    if (failure) throw failed{failure_handle(failure)};
}
// What a function of <inlay.h> returns through its last argument.
template <class Handle, class Function, class... Arguments> Handle make(Function function, Arguments... arguments) {
    typename Handle::pointer handle = nullptr;
    check(function(arguments..., &handle));
    return Handle(handle);
}
template <class Function, class... Arguments> std::string text_from(Function function, Arguments... arguments) {
    char* text = nullptr;
    check(function(arguments..., &text));
    const std::unique_ptr<char, freed_by<inlay_text_free>> owner(text);
    return text;
}
}  // namespace inlay_node
