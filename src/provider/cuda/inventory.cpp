// What this machine has, and why CUDA cannot be used where it cannot.
#include "libraries.hpp"
#include <inlay/provider/cuda.hpp>

namespace inlay {
inline namespace v1 {
namespace {
std::string cuda_version(int v) { return std::to_string(v / 1000) + "." + std::to_string(v / 10 % 100); }
std::string find_devices(cuda_inventory& inventory) {
    inventory.runtime = CUDART_VERSION;
    if (cudaDriverGetVersion(&inventory.driver) != cudaSuccess) inventory.driver = 0;
    if (inventory.driver == 0) return "no driver: libcuda.so.1 cannot be opened";
    if (inventory.driver / 1000 < CUDART_VERSION / 1000)
        return "the driver is too old: it is for CUDA " + cuda_version(inventory.driver) + ", and this program needs " +
               cuda_version(CUDART_VERSION / 1000 * 1000);
    int count = 0;
    if (const cudaError_t e = cudaGetDeviceCount(&count); e != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        return e == cudaSuccess || e == cudaErrorNoDevice ? "no device: the driver finds no GPU that it may use"
                                                          : std::string("no device: ") + cudaGetErrorString(e);
    }
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp p{};
        if (const cudaError_t e = cudaGetDeviceProperties(&p, i); e != cudaSuccess)
            return "device " + std::to_string(i) + " cannot be queried: " + cudaGetErrorString(e);
        inventory.devices.push_back({i, p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem});
    }
    return {};
}
}  // namespace

cuda_inventory find_cuda() {
    cuda_inventory inventory;
    inventory.unusable = find_devices(inventory);
    if (cublaslt().problem.empty()) {
        const std::size_t v = cublaslt().cublasLtGetVersion();
        inventory.cublaslt =
            std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
    } else if (inventory.unusable.empty())
        inventory.unusable = "library missing: cuBLASLt 13: " + cublaslt().problem;
    if (cudnn().problem.empty()) {
        const std::size_t v = cudnn().cudnnGetVersion();
        inventory.cudnn =
            std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
    } else if (inventory.unusable.empty())
        inventory.unusable = "library missing: cuDNN 9: " + cudnn().problem;
    return inventory;
}

device_inventory cuda::inventory() {
    const cuda_inventory details = find_cuda();
    const auto version = [](int v) { return v ? cuda_version(v) : std::string(); };
    device_inventory inventory{details.unusable,
                               {{"driver", version(details.driver)},
                                {"runtime", version(details.runtime)},
                                {"cublaslt", details.cublaslt},
                                {"cudnn", details.cudnn}}};
    for (const cuda_device& d : details.devices)
        inventory.devices.push_back({d.id,
                                     d.name,
                                     std::int64_t(d.bytes),
                                     {{"compute_capability", std::to_string(d.major) + "." + std::to_string(d.minor)},
                                      {"multiprocessors", std::to_string(d.multiprocessors)}}});
    return inventory;
}
}  // namespace v1
}  // namespace inlay
