// A device that is only described to cuDNN, so that planning for it needs the library and no GPU.
#pragma once
#include "../../skip.hpp"
#include "provider/cuda/plan_cache.hpp"

namespace inlay::testing {
inline constexpr std::string_view h100 =
    R"({"deviceVer": 900, "cudaDeviceId": 0, "driverVer": 13000, "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536,
    "multiProcessorCount": 132, "smClockRateKHz": 1980000, "memClockRateKHz": 2619000, "l2CacheSize": 52428800, "warpSize": 32, "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
    "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "pciDeviceId": 0, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "isTccDriver": 0, "supportCoopLaunch": 1,
    "totalGlobalMem": 85000000000, "deviceName": "NVIDIA H100 80GB HBM3"})";

struct described_device {
    dnn_descriptor device;
    described_device() {
        if (!cudnn().problem.empty()) SKIP("cuDNN cannot be opened: " + cudnn().problem);
        device = dnn_descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
        device.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, std::int64_t(h100.size()), h100.data());
        if (!device.finalize()) SKIP("this cuDNN cannot plan for a device that is described");
    }
    dnn_target target() const { return {nullptr, &device}; }
};
}  // namespace inlay::testing
