// Tensors and containers, from JavaScript to the library and back.
//
// JavaScript's side is an object {type, data, dims} for a tensor, and {kind, ...} for the others: {kind: 'sequence',
// items}, {kind: 'map', keys, items} with a tensor of keys, {kind: 'optional', item} with null for none.
#pragma once
#include "js.hpp"

namespace inlay_node {
// Memory of typed arrays is borrowed, and not to be detached while that lasts. An ArrayBuffer that can be resized is
// copied, for its memory can go away.
class given_value {
    struct parts;
    std::shared_ptr<parts> parts_;
    explicit given_value(std::shared_ptr<parts>);

  public:
    // Reads all that may run code of JavaScript: what it changes afterwards is no more seen, but for the elements.
    static given_value read(napi_env, napi_value, const std::string& subject, int depth = 0);
    // Runs no such code; appends the typed arrays whose memory is borrowed.
    value_handle make(napi_env, napi_value pins) const;
    bool is_borrowed(napi_env) const;  // of a tensor: make() copies nothing
};
// Whether the memory of a typed array may be borrowed. From then on it cannot be detached.
bool guard_memory(napi_env, napi_value typed_array, const std::string& subject);
bool is_detached(napi_env, napi_value typed_array);

// The object for a value, over its memory where that is the host's.
napi_value value_to_javascript(napi_env, value_handle);
napi_value type_name(napi_env, std::int32_t type);  // "float32"
}  // namespace inlay_node
