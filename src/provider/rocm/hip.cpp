#include "hip.hpp"
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
namespace {
hip_functions open() {
    hip_functions f;
    constexpr const char* variable = "INLAY_HIP_LIBRARY";
    const std::string version = std::to_string(HIP_VERSION_MAJOR);
    void* const library =
        open_library(named_by(variable, "libamdhip64.so." + version), f.problem,
                     "AMD's ROCm " + version + " has it, and Debian 12 in its package libamdhip64-5; " +
                         variable_may_name(variable, "file"));
#define INLAY_FIND(name, arguments) find_function(library, #name, f.name, f.problem);
    INLAY_HIP(INLAY_FIND)
#undef INLAY_FIND
    find_function(library, "hipGetErrorString", f.hipGetErrorString, f.problem);
    if (f.problem.empty()) f.problem = register_kernels(library);
    return f;
}
}  // namespace

const hip_functions& hip() {
    static const hip_functions functions = open();
    return functions;
}
}  // namespace v1
}  // namespace inlay
