#include "library.hpp"
#include <cstdlib>
#include <dlfcn.h>
#include <openvino/core/version.hpp>

namespace inlay {
inline namespace v1 {
namespace {
template <class F> void find(void* library, const char* name, F& f, std::string& problem) {
    f = reinterpret_cast<F>(dlsym(library, name));
    if (!f && problem.empty()) problem = std::string("it has no function ") + name;
}
// "libopenvino_c.so.2641" of version 2026.4.1
std::string library_name() {
    return "libopenvino_c.so." + std::to_string(OPENVINO_VERSION_MAJOR % 100) + std::to_string(OPENVINO_VERSION_MINOR) +
           std::to_string(OPENVINO_VERSION_PATCH);
}
openvino_functions open() {
    openvino_functions f;
    const char* variable = std::getenv("INLAY_OPENVINO_LIBRARY");
    const std::string name = variable && *variable ? variable : library_name();
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = dlerror();
        f.problem =
            (why ? why : name) + std::string("; the environment variable INLAY_OPENVINO_LIBRARY may name the file");
        return f;
    }
#define INLAY_FIND(function) find(library, #function, f.function, f.problem);
    INLAY_OPENVINO_FUNCTIONS(INLAY_FIND)
#undef INLAY_FIND
    if (!f.problem.empty()) return f;
    ov_version_t version{};
    if (f.ov_get_openvino_version(&version) == OK) {
        f.version = version.buildNumber;
        f.ov_version_free(&version);
    }
    const std::string year = std::to_string(OPENVINO_VERSION_MAJOR) + ".";
    if (!f.version.starts_with(year))  // numbers of element types move between major versions
        f.problem = "it is version " + f.version + ", and this program was made for " + year + "*";
    return f;
}
}  // namespace

const openvino_functions& openvino_library() {
    static const openvino_functions functions = open();
    return functions;
}
std::string openvino_functions::why(ov_status_e status) const {
    const char* text = ov_get_last_err_msg();
    std::string line = text && *text ? text : ov_get_error_info(status);
    for (char& c : line)
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    line.erase(line.find_last_not_of(' ') + 1);
    constexpr std::size_t most = 400;
    if (line.size() > most) line = line.substr(0, most) + " ...";
    return line;
}
}  // namespace v1
}  // namespace inlay
