// What this machine has, why ROCm cannot be used where it cannot, and what a session is opened with.
#include "hip.hpp"
#include "upload.hpp"
#include <provider/cuda/runtime.hpp>

namespace inlay {
inline namespace v1 {
namespace {
struct hip_inventory {
    std::string unusable;  // empty: it can be used
    int driver = 0;
    std::vector<hipDeviceProp_t> devices;
};
hip_inventory find_devices() {
    const hip_functions& f = hip();
    hip_inventory inventory;
    if (!f.problem.empty()) {
        inventory.unusable = "library missing: HIP: " + f.problem;
        return inventory;
    }
    if (f.hipDriverGetVersion(&inventory.driver) != hipSuccess) inventory.driver = 0;
    int count = 0;
    if (const hipError_t e = f.hipGetDeviceCount(&count); e != hipSuccess || count == 0) {
        (void)f.hipGetLastError();
        inventory.unusable = e == hipSuccess || e == hipErrorNoDevice
                                 ? "no device: HIP finds no GPU that it may use"
                                 : std::string("no device: ") + f.hipGetErrorString(e);
        return inventory;
    }
    inventory.devices.resize(std::size_t(count));
    for (int i = 0; i < count; ++i)
        if (const hipError_t e = f.hipGetDeviceProperties(&inventory.devices[std::size_t(i)], i); e != hipSuccess)
            inventory.unusable = "device " + std::to_string(i) + " cannot be queried: " + f.hipGetErrorString(e);
    return inventory;
}
std::string version_text(int v) { return std::to_string(v / 10'000'000) + "." + std::to_string(v / 100'000 % 100); }
}  // namespace

tensor upload(const tensor& t) {
    const cuda_queue* const q = current_queue();
    if (!q) raise(unavailable("no queue of work could be made"));
    return t.copied_to(q->memory());
}
bool cuda_runtime::records() const noexcept { return options.enable_hip_graph; }
status status_of(hipError_t e) noexcept {
    switch (e) {
        case hipSuccess: return status::ok;
        case hipErrorOutOfMemory: return status::out_of_memory;
        case hipErrorIllegalAddress:
        case hipErrorLaunchFailure:
        case hipErrorLaunchTimeOut:
        case hipErrorAssert:
        case hipErrorECCNotCorrectable:
        case hipErrorDeinitialized: return status::device_lost;
        default: return status::failed;
    }
}

result<std::shared_ptr<device_session>> rocm_provider::open() const {
    const hip_inventory inventory = find_devices();
    if (!inventory.unusable.empty()) return unavailable(inventory.unusable);
    if (device_id < 0 || device_id >= int(inventory.devices.size()))
        return unavailable("there is no device " + std::to_string(device_id) + "; this machine has " +
                           std::to_string(inventory.devices.size()));
    const hipDeviceProp_t& d = inventory.devices[std::size_t(device_id)];
    return open_runtime(*this, std::string(d.name) + " is " + d.gcnArchName, nullptr);
}
device_inventory rocm_provider::inventory() {
    const hip_inventory details = find_devices();
    device_inventory inventory{details.unusable,
                               {{"hip", details.driver ? version_text(details.driver) : std::string()}}};
    int id = 0;
    for (const hipDeviceProp_t& d : details.devices)
        inventory.devices.push_back(
            {id++,
             d.name,
             std::int64_t(d.totalGlobalMem),
             {{"architecture", d.gcnArchName}, {"multiprocessors", std::to_string(d.multiProcessorCount)}}});
    return inventory;
}
}  // namespace v1
}  // namespace inlay
