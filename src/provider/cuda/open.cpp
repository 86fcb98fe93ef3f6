// What a session of CUDA's is opened with, and how the runtime's errors and the libraries' handles are seen.
#include "plan_cache.hpp"

namespace inlay {
inline namespace v1 {
status status_of(cudaError_t e) noexcept {
    switch (e) {
        case cudaSuccess: return status::ok;
        case cudaErrorMemoryAllocation: return status::out_of_memory;
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorAssert:
        case cudaErrorLaunchTimeout:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorDevicesUnavailable:
        case cudaErrorCudartUnloading: return status::device_lost;
        default: return status::failed;
    }
}

bool cuda_runtime::records() const noexcept { return options.enable_cuda_graph; }
cudnnContext* cuda_queue::dnn() noexcept try {
    const cudnn_functions& f = cudnn();
    if (!f.problem.empty() || stream_->dnn) return stream_->dnn.get();
    cudnnHandle_t raw_handle = nullptr;
    if (f.cudnnCreate(&raw_handle) != CUDNN_STATUS_SUCCESS) return nullptr;
    std::shared_ptr<cudnnContext> handle(raw_handle, [](cudnnHandle_t h) { cudnn().cudnnDestroy(h); });
    if (f.cudnnSetStream(raw_handle, stream_->compute) == CUDNN_STATUS_SUCCESS) stream_->dnn = std::move(handle);
    return stream_->dnn.get();
} catch (...) {
    return nullptr;
}
cublasLtContext* cuda_runtime::lt() noexcept try {
    const std::lock_guard lock(mutex_);
    cublasLtHandle_t handle = nullptr;
    if (!lt_ && cublaslt().problem.empty() && cublaslt().cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS)
        lt_ = {handle, [](cublasLtHandle_t h) { cublaslt().cublasLtDestroy(h); }};
    return lt_.get();
} catch (...) {
    return nullptr;
}

result<std::shared_ptr<device_session>> cuda::open() const {
    if (precision == cuda_precision::strict && use_tf32)
        return error(error_code::invalid_option,
                     std::string(name) + ": `precision` cannot be `strict` together with `use_tf32`");
    const cuda_inventory inventory = find_cuda();
    if (!inventory.unusable.empty()) return unavailable(inventory.unusable);
    if (device_id < 0 || device_id >= int(inventory.devices.size()))
        return unavailable("there is no device " + std::to_string(device_id) + "; this machine has " +
                           std::to_string(inventory.devices.size()));
    const cuda_device& d = inventory.devices[std::size_t(device_id)];
    const std::string capability = std::to_string(d.major) + '.' + std::to_string(d.minor);
    std::shared_ptr<const plan_cache> cache;
    if (!cudnn_plan_cache.empty()) {
        std::error_code failed;
        std::filesystem::create_directories(cudnn_plan_cache, failed);
        if (failed)
            return error(error_code::invalid_option, std::string(name) + ": `cudnn_plan_cache` cannot be the folder " +
                                                         cudnn_plan_cache + ": " + failed.message());
        cache = std::make_shared<plan_cache>(
            cudnn_plan_cache,
            d.name + ' ' + capability + ", driver " + std::to_string(inventory.driver) + ", cuDNN " + inventory.cudnn);
    }
    return open_runtime(*this, d.name + " has compute capability " + capability, std::move(cache));
}
}  // namespace v1
}  // namespace inlay
