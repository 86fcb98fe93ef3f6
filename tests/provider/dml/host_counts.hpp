// What the host implementation of DirectML reports to the tests outside the interfaces.
#pragma once
#include "../engines.hpp"
#include <inlay/provider/dml.hpp>
#include <dlfcn.h>
#include <provider/dml/operators.hpp>

namespace inlay::testing {
inline void* host_function(const char* library, const char* name) {
    const std::string file = std::string(std::getenv("INLAY_DML_LIBRARY")) + "/" + library;
    void* const handle = dlopen(file.c_str(), RTLD_NOW);
    REQUIRE(handle);
    return dlsym(handle, name);
}
// How many operators of this type the graphs have that were compiled since the last call.
inline int operators_of(int type) {
    static const auto count = reinterpret_cast<int (*)(int)>(host_function("libdirectml.so", "host_operators"));
    return count(type);
}
inline int forget_operators() {
    int count = 0;
    for (int type = 0; type < 256; ++type) count += operators_of(type);
    return count;
}
}  // namespace inlay::testing
