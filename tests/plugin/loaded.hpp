// Plugins of tests/plugin, and whether they are loaded.
#pragma once
#include <inlay/plugin.hpp>
#include <dlfcn.h>

namespace inlay::testing {
inline bool is_loaded(const std::string& file) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library) dlclose(library);
    return library;
}
}  // namespace inlay::testing
