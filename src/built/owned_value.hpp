// Values of the language bindings that outlive the inputs and results of a run.
#pragma once
#include <inlay/tensor.hpp>

namespace inlay {
inline namespace v1 {
// The same value with memory of its own: results of a run may share memory with others, or lie, within a sequence, map
// or optional, in memory that came with an input.
inline any_value owned(const any_value& v) {
    if (const tensor* t = v.as_tensor()) return t->sole_owner() ? *t : t->clone();
    if (const sequence* s = v.as_sequence()) {
        sequence items;
        for (const any_value& item : *s) items.push_back(owned(item));
        return items;
    }
    if (const map* m = v.as_map()) {
        map entries;
        for (const auto& [key, content] : *m) entries.emplace(key, owned(content));
        return entries;
    }
    const auto& contents = v.as_optional()->contents;
    return contents ? optional_value{owned(*contents)} : optional_value{};
}
}  // namespace v1
}  // namespace inlay
