#include "hip.hpp"

namespace inlay {
inline namespace v1 {
namespace {
hip_functions open() {
    hip_functions f;
    const std::string version = std::to_string(HIP_VERSION_MAJOR);
    void* const library =
        open_named_library("INLAY_HIP_LIBRARY", "libamdhip64.so." + version,
                           "AMD's ROCm " + version + " has it, and Debian 12 in its package libamdhip64-5", f.problem);
    f.find_in(library);
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
