#include "library.hpp"
#include <lowering/refusal.hpp>
#include <openvino/core/version.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// "libopenvino_c.so.2641" of version 2026.4.1
std::string library_name() {
    return "libopenvino_c.so." + std::to_string(OPENVINO_VERSION_MAJOR % 100) + std::to_string(OPENVINO_VERSION_MINOR) +
           std::to_string(OPENVINO_VERSION_PATCH);
}
openvino_functions open() {
    openvino_functions f;
    const std::string year = std::to_string(OPENVINO_VERSION_MAJOR) + ".";
    const std::string advice = "pip install 'openvino==" + year + "*' brings it";
    f.find_in(open_named_library("INLAY_OPENVINO_LIBRARY", library_name(), advice, f.problem));
    if (!f.problem.empty()) return f;
    ov_version_t version{};
    if (f.ov_get_openvino_version(&version) == OK) {
        f.version = version.buildNumber;
        f.ov_version_free(&version);
    }
    if (!f.version.starts_with(year))  // numbers of element types move between major versions
        f.problem = "it is version " + f.version + ", and this program was made for " + year + "*; " + advice;
    return f;
}
}  // namespace

const openvino_functions& openvino_library() {
    static const openvino_functions functions = open();
    return functions;
}
std::string openvino_functions::why(ov_status_e status) const {
    const char* text = ov_get_last_err_msg();
    return one_line(text && *text ? text : ov_get_error_info(status));
}
}  // namespace v1
}  // namespace inlay
