// Libraries that single operators need: a module of Inlay's own, the only file linked with them, exports their table
// of functions and is opened when a node first needs it. Both sides are built together.
#pragma once
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
inline bool same_build(const char* callers) { return std::string_view(callers) == INLAY_MODULE_BUILD; }

// The table of lib<name>.so, which `variable` may name; null where there is none. It stays open.
template <class Table> const Table* table_of_module(const char* variable, const std::string& name) noexcept try {
    std::string problem;
    void* const library =
        open_library(module_files(variable, "lib" + name + ".so", INLAY_MODULE_FOLDER).front(), problem);
    const void* (*table)(const char*) = nullptr;
    find_function(library, name.c_str(), table, problem);
    return table ? static_cast<const Table*>(table(INLAY_MODULE_BUILD)) : nullptr;
} catch (...) {
    return nullptr;
}
}  // namespace v1
}  // namespace inlay
