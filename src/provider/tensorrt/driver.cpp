#include "driver.hpp"
#include <lowering/refusal.hpp>

namespace inlay {
inline namespace v1 {
namespace {
std::string find_devices(gpu_driver& d) {
    if (const int s = d.cuInit(0); s != 0) return d.why(s);
    (void)d.cuDriverGetVersion(&d.version);
    int count = 0;
    if (const int s = d.cuDeviceGetCount(&count); s != 0) return d.why(s);
    for (int number = 0; number < count; ++number) {
        constexpr int major = 75, minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
        gpu_driver::device found;
        found.number = number;
        char name[256] = "";
        if (const int s = d.cuDeviceGet(&found.handle, number); s != 0) return d.why(s);
        (void)d.cuDeviceGetName(name, sizeof name, found.handle);
        (void)d.cuDeviceTotalMem_v2(&found.bytes, found.handle);
        (void)d.cuDeviceGetAttribute(&found.major, major, found.handle);
        (void)d.cuDeviceGetAttribute(&found.minor, minor, found.handle);
        found.name = name;
        d.devices.push_back(std::move(found));
    }
    return d.devices.empty() ? "the driver finds no GPU that it may use" : "";
}
}  // namespace

std::string gpu_driver::why(int status) const {
    const char* text = nullptr;
    const bool known = cuGetErrorString(status, &text) == 0 && text;
    return known ? one_line(text) : "the driver's error " + std::to_string(status);
}
const gpu_driver& driver() {
    static const gpu_driver all = [] {
        gpu_driver d;
        void* const library = open_library("libcuda.so.1", d.problem);
        d.find_in(library);
        if (!library) d.problem = "no driver: " + d.problem;
        if (d.problem.empty()) d.problem = find_devices(d);
        return d;
    }();
    return all;
}

result<std::shared_ptr<const gpu>> gpu::open(int number) {
    const gpu_driver& d = driver();
    if (!d.problem.empty()) return error(error_code::provider_unavailable, d.problem);
    if (number < 0 || std::size_t(number) >= d.devices.size())
        return error(error_code::provider_unavailable, "there is no device " + std::to_string(number) +
                                                           "; this machine has " + std::to_string(d.devices.size()));
    const gpu_driver::device& found = d.devices[std::size_t(number)];
    void* context = nullptr;
    if (const int s = d.cuDevicePrimaryCtxRetain(&context, found.handle); s != 0)
        return error(error_code::provider_unavailable, d.why(s));
    return std::shared_ptr<const gpu>(new gpu(found, context));
}
}  // namespace v1
}  // namespace inlay
