// The functions of HIP's library that Inlay calls, on the host, for tests: memory is the host's, streams do their work
// at once, and kernels are not run but looked up by what the program registered of them. Two devices.
#include "hip.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime_api.h>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {
hip_host_counts counts{};
std::mutex mutex;
std::set<const void*> alive;
std::map<const void*, std::string> kernels;
thread_local int device = 0;
thread_local bool recording = false;

hipError_t wrong(const char* message) {
    counts.wrong = message;
    return hipErrorInvalidValue;
}
template <class T> hipError_t make(T* to, int& count, std::size_t bytes = 1) {
    const std::lock_guard lock(mutex);
    void* const p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(p, 0, bytes);
    alive.insert(p);
    ++count;
    *to = static_cast<T>(p);
    return hipSuccess;
}
hipError_t end(void* p, int& count, const char* message) {
    const std::lock_guard lock(mutex);
    if (alive.erase(p) == 0) return wrong(message);
    std::free(p);
    --count;
    return hipSuccess;
}
bool is_stream(hipStream_t s) {
    const std::lock_guard lock(mutex);
    return !s || alive.count(s) == 1;
}
struct binary_wrapper {
    std::uint32_t magic, version;
    const char* bundle;
    void* unused;
};
}  // namespace

extern "C" {
hip_host_counts* inlay_hip_host() { return &counts; }

void** __hipRegisterFatBinary(const void* data) {
    const auto* const w = static_cast<const binary_wrapper*>(data);
    if (w->magic != 0x48495046 || std::memcmp(w->bundle, "__CLANG_OFFLOAD_BUNDLE__", 24) != 0)
        (void)wrong("code for devices that is no bundle of clang's");
    return reinterpret_cast<void**>(const_cast<void*>(data));
}
void __hipRegisterFunction(void**, const void* host, char*, const char* name, unsigned, void*, void*, void*, void*,
                           int*) {
    kernels[host] = name;
}
const char* hipGetErrorString(hipError_t e) { return e == hipSuccess ? "no error" : "the host's error"; }
hipError_t hipGetLastError() { return hipSuccess; }
hipError_t hipDriverGetVersion(int* v) { return *v = HIP_VERSION, hipSuccess; }
hipError_t hipGetDeviceCount(int* n) { return *n = 2, hipSuccess; }
hipError_t hipGetDevice(int* d) { return *d = device, hipSuccess; }
hipError_t hipSetDevice(int d) { return d == 0 || d == 1 ? (device = d, hipSuccess) : hipErrorInvalidDevice; }
hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int) {
    *p = {};
    std::strcpy(p->name, "a host");
    std::strcpy(p->gcnArchName, "gfx000");
    p->totalGlobalMem = std::size_t(1) << 30;
    return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* to, hipDeviceAttribute_t attribute, int) {
    return *to = attribute == hipDeviceAttributeMemoryPoolsSupported, hipSuccess;
}
hipError_t hipFuncGetAttributes(hipFuncAttributes*, const void* kernel) {
    return !counts.lacks_code && kernels.count(kernel) ? hipSuccess : hipErrorInvalidDeviceFunction;
}
hipError_t hipMalloc(void** p, std::size_t n) { return make(p, counts.memory, n); }
hipError_t hipFree(void* p) { return end(p, counts.memory, "hipFree"); }
hipError_t hipHostMalloc(void** p, std::size_t n, unsigned) { return make(p, counts.memory, n); }
hipError_t hipHostFree(void* p) { return end(p, counts.memory, "hipHostFree"); }
hipError_t hipMemPoolCreate(hipMemPool_t* p, const hipMemPoolProps* about) {
    if (about->location.type != hipMemLocationTypeDevice || about->location.id != device) return wrong("a pool");
    return make(p, counts.memory);
}
hipError_t hipMemPoolDestroy(hipMemPool_t p) { return end(p, counts.memory, "hipMemPoolDestroy"); }
hipError_t hipMallocFromPoolAsync(void** p, std::size_t n, hipMemPool_t, hipStream_t s) {
    return is_stream(s) ? make(p, counts.memory, n) : wrong("hipMallocFromPoolAsync");
}
hipError_t hipFreeAsync(void* p, hipStream_t s) {
    return is_stream(s) ? end(p, counts.memory, "hipFreeAsync") : wrong("hipFreeAsync: the stream");
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t n, hipMemcpyKind, hipStream_t s) {
    if (!is_stream(s)) return wrong("hipMemcpyAsync");
    std::memcpy(to, from, n);
    ++counts.copies;
    return hipSuccess;
}
hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned) { return make(s, counts.streams); }
hipError_t hipStreamDestroy(hipStream_t s) { return end(s, counts.streams, "hipStreamDestroy"); }
hipError_t hipStreamSynchronize(hipStream_t s) {
    return is_stream(s) && !recording ? hipSuccess : wrong("hipStreamSynchronize");
}
hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t, unsigned) {
    return is_stream(s) ? hipSuccess : wrong("hipStreamWaitEvent");
}
hipError_t hipEventCreateWithFlags(hipEvent_t* e, unsigned) { return make(e, counts.events); }
hipError_t hipEventDestroy(hipEvent_t e) { return end(e, counts.events, "hipEventDestroy"); }
hipError_t hipEventRecord(hipEvent_t, hipStream_t s) { return is_stream(s) ? hipSuccess : wrong("hipEventRecord"); }
hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode) { return recording = true, hipSuccess; }
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t* g) {
    if (!recording) return wrong("hipStreamEndCapture");
    recording = false;
    ++counts.recorded;
    return make(g, counts.graphs);
}
hipError_t hipGraphInstantiate(hipGraphExec_t* x, hipGraph_t, hipGraphNode_t*, char*, std::size_t) {
    return make(x, counts.graphs);
}
hipError_t hipGraphDestroy(hipGraph_t g) { return end(g, counts.graphs, "hipGraphDestroy"); }
hipError_t hipGraphExecDestroy(hipGraphExec_t g) { return end(g, counts.graphs, "hipGraphExecDestroy"); }
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t s) {
    ++counts.replayed;
    return is_stream(s) ? hipSuccess : wrong("hipGraphLaunch");
}
hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t, hipStream_t s) {
    const auto at = kernels.find(kernel);
    if (at == kernels.end() || !arguments || !is_stream(s)) return wrong("hipLaunchKernel");
    if (grid.x == 0 || block.x == 0 || block.x > 1024 || grid.y * grid.z * block.y * block.z != 1)
        return wrong("the size of a launch");
    counts.last_kernel = at->second.c_str();
    ++counts.launches;
    return hipSuccess;
}
}
