#include "library.hpp"
#include <cstdlib>
#include <dlfcn.h>

namespace inlay {
inline namespace v1 {
namespace {
void* open_file(const char* name, std::string& problem) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library && problem.empty()) {
        const char* why = dlerror();
        problem =
            (why ? why : name) + std::string("; the environment variable INLAY_XNNPACK_LIBRARY may name the file");
    }
    return library;
}
template <class F> void find(void* library, const char* name, F& f, std::string& problem) {
    if (!problem.empty()) return;
    f = reinterpret_cast<F>(dlsym(library, name));
    if (!f) problem = std::string("it has no function ") + name;
}
xnnpack_functions open() {
    xnnpack_functions f;
    const char* variable = std::getenv("INLAY_XNNPACK_LIBRARY");
    void* const library = open_file(variable && *variable ? variable : "libXNNPACK.so.0", f.problem);
    void* const threads = open_file("libpthreadpool.so.0", f.problem);
#define INLAY_FIND(function) find(library, #function, f.function, f.problem);
    INLAY_XNNPACK_FUNCTIONS(INLAY_FIND)
#undef INLAY_FIND
#define INLAY_FIND(function) find(threads, #function, f.function, f.problem);
    INLAY_PTHREADPOOL_FUNCTIONS(INLAY_FIND)
#undef INLAY_FIND
    if (!f.problem.empty()) return f;
    if (const xnn_status s = f.xnn_initialize(nullptr); s != xnn_status_success) f.problem = text_of(s);
    return f;
}
}  // namespace

const xnnpack_functions& xnnpack_library() {
    static const xnnpack_functions functions = open();
    return functions;
}
const char* text_of(xnn_status s) {
    switch (s) {
        case xnn_status_success: return "success";
        case xnn_status_uninitialized: return "XNNPACK is not initialised";
        case xnn_status_invalid_parameter: return "XNNPACK says: invalid parameter";
        case xnn_status_invalid_state: return "XNNPACK says: invalid state";
        case xnn_status_unsupported_parameter: return "XNNPACK says: unsupported parameter";
        case xnn_status_unsupported_hardware: return "XNNPACK has no code for this processor";
        case xnn_status_out_of_memory: return "XNNPACK has no memory left";
        default: return "XNNPACK gave an unknown status";
    }
}
}  // namespace v1
}  // namespace inlay
