// The driver of the GPUs, opened when first used: devices, their memory, and streams of work.
#pragma once
#include <inlay/error.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <platform/shared_library.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
#define INLAY_DRIVER_FUNCTIONS(X) \
    X(cuInit, unsigned flags) \
    X(cuDriverGetVersion, int* version) \
    X(cuGetErrorString, int status, const char** text) \
    X(cuDeviceGetCount, int* count) \
    X(cuDeviceGet, int* device, int number) \
    X(cuDeviceGetName, char* name, int most, int device) \
    X(cuDeviceTotalMem_v2, std::size_t* bytes, int device) \
    X(cuDeviceGetAttribute, int* value, int attribute, int device) \
    X(cuDevicePrimaryCtxRetain, void** context, int device) \
    X(cuDevicePrimaryCtxRelease_v2, int device) \
    X(cuCtxPushCurrent_v2, void* context) \
    X(cuCtxPopCurrent_v2, void** context) \
    X(cuStreamCreate, void** stream, unsigned flags) \
    X(cuStreamDestroy_v2, void* stream) \
    X(cuStreamSynchronize, void* stream) \
    X(cuMemAlloc_v2, std::uintptr_t* at, std::size_t bytes) \
    X(cuMemFree_v2, std::uintptr_t at) \
    X(cuMemcpyHtoDAsync_v2, std::uintptr_t to, const void* from, std::size_t bytes, void* stream) \
    X(cuMemcpyDtoHAsync_v2, void* to, std::uintptr_t from, std::size_t bytes, void* stream)
#define INLAY_DRIVER_FUNCTION(name, ...) int (*name)(__VA_ARGS__) = nullptr;
struct gpu_driver {
    INLAY_FUNCTION_TABLE(INLAY_DRIVER_FUNCTIONS, INLAY_DRIVER_FUNCTION)  // there is one, with devices
    int version = 0;                                                     // 13000 is 13.0
    struct device {
        int number = 0, handle = 0, major = 0, minor = 0;  // of its compute capability
        std::string name;
        std::size_t bytes = 0;
    };
    std::vector<device> devices;
    std::string why(int status) const;
};
const gpu_driver& driver();

// A device that a session uses; the driver's context of it is the one that other libraries of the program use.
class gpu {
    const gpu_driver::device* device_;
    void* context_;
    gpu(const gpu_driver::device& d, void* context) : device_(&d), context_(context) {}

  public:
    gpu(const gpu&) = delete;
    ~gpu() { driver().cuDevicePrimaryCtxRelease_v2(device_->handle); }
    static result<std::shared_ptr<const gpu>> open(int number);
    const gpu_driver::device& device() const { return *device_; }

    class current {  // what the thread does is for this device, if there is one
        const gpu* gpu_;

      public:
        explicit current(const gpu* g) : gpu_(g) {
            if (gpu_) driver().cuCtxPushCurrent_v2(gpu_->context_);
        }
        current(const current&) = delete;
        ~current() {
            void* context = nullptr;
            if (gpu_) driver().cuCtxPopCurrent_v2(&context);
        }
    };
};
// Its context has to be current where they are made and destroyed.
class gpu_stream {
    void* stream_ = nullptr;

  public:
    gpu_stream() { driver().cuStreamCreate(&stream_, 1); }  // 1: it does not wait for the default stream
    gpu_stream(const gpu_stream&) = delete;
    ~gpu_stream() {
        if (stream_) driver().cuStreamDestroy_v2(stream_);
    }
    void* get() const { return stream_; }
};
class gpu_memory {
    std::uintptr_t at_ = 0;

  public:
    explicit gpu_memory(std::size_t bytes) {
        if (driver().cuMemAlloc_v2(&at_, bytes) != 0) at_ = 0;
    }
    gpu_memory(const gpu_memory&) = delete;
    ~gpu_memory() {
        if (at_) driver().cuMemFree_v2(at_);
    }
    std::uintptr_t get() const { return at_; }
};
}  // namespace v1
}  // namespace inlay
