#include "library.hpp"

namespace inlay {
inline namespace v1 {
namespace {
migraphx_functions open() {
    migraphx_functions f;
    void* const library = open_named_library("INLAY_MIGRAPHX_LIBRARY", "libmigraphx_c.so.3",
                                             "AMD's ROCm has it, in its package migraphx", f.problem);
    f.find_in(library);
    if (!f.problem.empty()) return f;
    std::string problem;
    find_function(library, "hipSetDevice", f.hipSetDevice, problem);
    for (const char* runtime : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"}) {
        if (f.hipSetDevice) break;
        problem.clear();
        find_function(open_library(runtime, problem), "hipSetDevice", f.hipSetDevice, problem);
    }
    return f;
}
}  // namespace

const migraphx_functions& migraphx_library() {
    static const migraphx_functions functions = open();
    return functions;
}
std::string text_of_migraphx(int status) {
    switch (status) {
        case migraphx_interface::bad_param: return "MIGraphX says: a bad parameter";
        case migraphx_interface::unknown_target: return "MIGraphX says: an unknown target";
        default: return "MIGraphX says: error " + std::to_string(status);  // what it was goes to standard error
    }
}
}  // namespace v1
}  // namespace inlay
