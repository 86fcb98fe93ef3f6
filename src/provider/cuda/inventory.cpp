// What this machine has, and why CUDA cannot be used where it cannot.
#include "libraries.hpp"
#include <inlay/provider/cuda.hpp>

namespace inlay {
inline namespace v1 {
namespace {
std::string cuda_version(int v) { return std::to_string(v / 1000) + "." + std::to_string(v / 10 % 100); }
std::string find_devices(cuda_inventory& found) {
    found.runtime = CUDART_VERSION;
    if (cudaDriverGetVersion(&found.driver) != cudaSuccess) found.driver = 0;
    if (found.driver == 0) return "no driver: libcuda.so.1 cannot be opened";
    if (found.driver / 1000 < CUDART_VERSION / 1000)
        return "the driver is too old: it is for CUDA " + cuda_version(found.driver) + ", and this program needs " +
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
            return "device " + std::to_string(i) + " cannot be asked: " + cudaGetErrorString(e);
        found.devices.push_back({i, p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem});
    }
    return {};
}
}  // namespace

cuda_inventory find_cuda() {
    cuda_inventory found;
    found.unusable = find_devices(found);
    if (cublaslt().problem.empty()) {
        const std::size_t v = cublaslt().cublasLtGetVersion();
        found.cublaslt =
            std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
    } else if (found.unusable.empty())
        found.unusable = "library missing: cuBLASLt 13: " + cublaslt().problem;
    if (cudnn().problem.empty()) {
        const std::size_t v = cudnn().cudnnGetVersion();
        found.cudnn = std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
    } else if (found.unusable.empty())
        found.unusable = "library missing: cuDNN 9: " + cudnn().problem;
    return found;
}

device_inventory cuda::inventory() {
    const cuda_inventory found = find_cuda();
    const auto version = [](int v) { return v ? cuda_version(v) : std::string(); };
    device_inventory all{found.unusable,
                         {{"driver", version(found.driver)},
                          {"runtime", version(found.runtime)},
                          {"cublaslt", found.cublaslt},
                          {"cudnn", found.cudnn}}};
    for (const cuda_device& d : found.devices)
        all.devices.push_back({d.id,
                               d.name,
                               std::int64_t(d.bytes),
                               {{"compute_capability", std::to_string(d.major) + "." + std::to_string(d.minor)},
                                {"multiprocessors", std::to_string(d.multiprocessors)}}});
    return all;
}
}  // namespace v1
}  // namespace inlay
