#include "library.hpp"
#include <inlay/sdk/provider_handle.hpp>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// The level that the functions tell: of a set all are there, or it is as if none were.
std::int64_t level_of(nnapi_functions& f, void* library) {
    std::string missing_28, missing_29, missing_31;
#define INLAY_FIND(result, name, arguments) find_function(library, #name, f.name, missing);
    {
        std::string& missing = missing_28;
        INLAY_NNAPI_FUNCTIONS_28(INLAY_FIND)
    }
    {
        std::string& missing = missing_29;
        INLAY_NNAPI_FUNCTIONS_29(INLAY_FIND)
    }
    {
        std::string& missing = missing_31;
        INLAY_NNAPI_FUNCTIONS_31(INLAY_FIND)
    }
#undef INLAY_FIND
    if (!missing_28.empty()) return 27;
    if (!missing_29.empty()) return 28;
    if (missing_31.empty()) return f.ANeuralNetworks_getRuntimeFeatureLevel();
    void* of_level_30 = nullptr;
    std::string missing_30;
    find_function(library, nnapi_interface::function_of_level_30, of_level_30, missing_30);
    return of_level_30 ? 30 : 29;
}
nnapi_functions open() {
    nnapi_functions f;
    constexpr const char* variable = "INLAY_NNAPI_LIBRARY";
    void* const library = open_library(named_by(variable, "libneuralnetworks.so"), f.problem,
                                       "it is part of Android, from 8.1 on; " + variable_may_name(variable, "file"));
#define INLAY_FIND(result, name, arguments) find_function(library, #name, f.name, f.problem);
    INLAY_NNAPI_FUNCTIONS_27(INLAY_FIND)
#undef INLAY_FIND
    if (f.problem.empty()) f.level = level_of(f, library);
    return f;
}
}  // namespace

const nnapi_functions& nnapi_library() {
    static const nnapi_functions functions = open();
    return functions;
}
std::string text_of_nnapi(int status) {
    constexpr const char* texts[] = {"no error",
                                     "no memory is left",
                                     "the call came too early",
                                     "a pointer is null",
                                     "bad data",
                                     "the operation failed",
                                     "bad state",
                                     "a file cannot be mapped",
                                     "an output is too small",
                                     "the device is unavailable"};
    const bool has_text = status >= 0 && status < int(std::size(texts));
    return "NNAPI says: " + (has_text ? std::string(texts[status]) : "error " + std::to_string(status));
}
std::vector<nnapi_device> nnapi_devices() {
    const nnapi_functions& f = nnapi_library();
    std::vector<nnapi_device> devices;
    std::uint32_t count = 0;
    if (!f.chooses_devices() || f.ANeuralNetworks_getDeviceCount(&count) != nnapi_interface::NO_ERROR) return devices;
    for (std::uint32_t i = 0; i < count; ++i) {
        ANeuralNetworksDevice* handle = nullptr;
        const char *name = nullptr, *version = nullptr;
        if (f.ANeuralNetworks_getDevice(i, &handle) != nnapi_interface::NO_ERROR) continue;
        nnapi_device d{handle, {}, {}, 0, 0};
        if (f.ANeuralNetworksDevice_getName(handle, &name) == nnapi_interface::NO_ERROR && name) d.name = name;
        if (f.ANeuralNetworksDevice_getVersion(handle, &version) == nnapi_interface::NO_ERROR && version)
            d.version = version;
        f.ANeuralNetworksDevice_getType(handle, &d.type);
        f.ANeuralNetworksDevice_getFeatureLevel(handle, &d.level);
        devices.push_back(std::move(d));
    }
    return devices;
}
}  // namespace v1
}  // namespace inlay
