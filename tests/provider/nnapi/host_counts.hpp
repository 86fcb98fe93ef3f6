// What the host implementation of NNAPI reports to the tests outside the interface.
#pragma once
#include "../engines.hpp"
#include <inlay/provider/nnapi.hpp>
#include <dlfcn.h>
#include <provider/nnapi/interface.hpp>

namespace inlay::testing {
// How many operations of this code the models have that were compiled since the last call.
inline int operations_of(std::int32_t code) {
    static int (*const count)(std::int32_t) = [] {
        void* const library = dlopen(std::getenv("INLAY_NNAPI_LIBRARY"), RTLD_NOW);
        REQUIRE(library);
        return reinterpret_cast<int (*)(std::int32_t)>(dlsym(library, "host_operations"));
    }();
    return count(code);
}
inline void forget_operations() {
    for (std::int32_t code = 0; code < 128; ++code) (void)operations_of(code);
}
}  // namespace inlay::testing
