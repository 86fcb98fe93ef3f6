#include "library.hpp"

namespace inlay {
inline namespace v1 {
namespace {
#if INLAY_XNNPACK_SHARES_WEIGHTS
constexpr const char* advice = "pip install --no-deps executorch brings a library that has it";
#else
constexpr const char* advice = "Debian 12 has it in its package libxnnpack0";
#endif
xnnpack_functions open() {
    xnnpack_functions f;
    constexpr const char* variable = "INLAY_XNNPACK_LIBRARY";
    void* const library = open_named_library(variable, "libXNNPACK.so.0", advice, f.problem);
    f.find_in(library);  // pthreadpool's too: XNNPACK's library needs that one
    if (library && !f.problem.empty()) f.problem += "; " + variable_may_name(variable, "file");
    if (!f.problem.empty()) return f;
    std::string problem;
    find_function(library, "xnn_reshape_runtime", f.later, problem);
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
