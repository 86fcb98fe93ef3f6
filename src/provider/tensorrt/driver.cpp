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
        gpu_driver::device device;
        device.number = number;
        char name[256] = "";
        if (const int s = d.cuDeviceGet(&device.handle, number); s != 0) return d.why(s);
        (void)d.cuDeviceGetName(name, sizeof name, device.handle);
        (void)d.cuDeviceTotalMem_v2(&device.bytes, device.handle);
        (void)d.cuDeviceGetAttribute(&device.major, major, device.handle);
        (void)d.cuDeviceGetAttribute(&device.minor, minor, device.handle);
        device.name = name;
        d.devices.push_back(std::move(device));
    }
    return d.devices.empty() ? "the driver finds no GPU that it may use" : "";
}
}  // namespace

std::string gpu_driver::why(int status) const {
    const char* text = nullptr;
    const bool has_text = cuGetErrorString(status, &text) == 0 && text;
    return has_text ? one_line(text) : "the driver's error " + std::to_string(status);
}
const gpu_driver& driver() {
    static const gpu_driver instance = [] {
        gpu_driver d;
        void* const library = open_library("libcuda.so.1", d.problem);
        d.find_in(library);
        if (!library) d.problem = "no driver: " + d.problem;
        if (d.problem.empty()) d.problem = find_devices(d);
        return d;
    }();
    return instance;
}

result<std::shared_ptr<const gpu>> gpu::open(int number) {
    const gpu_driver& d = driver();
    if (!d.problem.empty()) return error(error_code::provider_unavailable, d.problem);
    if (number < 0 || std::size_t(number) >= d.devices.size())
        return error(error_code::provider_unavailable, "there is no device " + std::to_string(number) +
                                                           "; this machine has " + std::to_string(d.devices.size()));
    const gpu_driver::device& device = d.devices[std::size_t(number)];
    void* context = nullptr;
    if (const int s = d.cuDevicePrimaryCtxRetain(&context, device.handle); s != 0)
        return error(error_code::provider_unavailable, d.why(s));
    return std::shared_ptr<const gpu>(new gpu(device, context));
}
}  // namespace v1
}  // namespace inlay
