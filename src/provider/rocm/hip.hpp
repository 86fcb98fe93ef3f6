// HIP's library as a table of functions, opened when first used: a program must start where there is none. Types and
// numbers are those of its headers.
#pragma once
#include <hip/hip_runtime_api.h>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_HIP(X) \
    X(hipDeviceGetAttribute, (int*, hipDeviceAttribute_t, int)) \
    X(hipDriverGetVersion, (int*)) \
    X(hipEventCreateWithFlags, (hipEvent_t*, unsigned)) \
    X(hipEventDestroy, (hipEvent_t)) \
    X(hipEventRecord, (hipEvent_t, hipStream_t)) \
    X(hipFree, (void*)) \
    X(hipFreeAsync, (void*, hipStream_t)) \
    X(hipFuncGetAttributes, (hipFuncAttributes*, const void*)) \
    X(hipGetDevice, (int*)) \
    X(hipGetDeviceCount, (int*)) \
    X(hipGetDeviceProperties, (hipDeviceProp_t*, int)) \
    X(hipGetLastError, ()) \
    X(hipGraphDestroy, (hipGraph_t)) \
    X(hipGraphExecDestroy, (hipGraphExec_t)) \
    X(hipGraphInstantiate, (hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*, std::size_t)) \
    X(hipGraphLaunch, (hipGraphExec_t, hipStream_t)) \
    X(hipHostFree, (void*)) \
    X(hipHostMalloc, (void**, std::size_t, unsigned)) \
    X(hipLaunchKernel, (const void*, dim3, dim3, void**, std::size_t, hipStream_t)) \
    X(hipMalloc, (void**, std::size_t)) \
    X(hipMallocFromPoolAsync, (void**, std::size_t, hipMemPool_t, hipStream_t)) \
    X(hipMemPoolCreate, (hipMemPool_t*, const hipMemPoolProps*)) \
    X(hipMemPoolDestroy, (hipMemPool_t)) \
    X(hipMemcpyAsync, (void*, const void*, std::size_t, hipMemcpyKind, hipStream_t)) \
    X(hipSetDevice, (int)) \
    X(hipStreamBeginCapture, (hipStream_t, hipStreamCaptureMode)) \
    X(hipStreamCreateWithFlags, (hipStream_t*, unsigned)) \
    X(hipStreamDestroy, (hipStream_t)) \
    X(hipStreamEndCapture, (hipStream_t, hipGraph_t*)) \
    X(hipStreamSynchronize, (hipStream_t)) \
    X(hipStreamWaitEvent, (hipStream_t, hipEvent_t, unsigned))
#define INLAY_HIP_FUNCTION(name, arguments) hipError_t(*name) arguments = nullptr;
struct hip_functions {
    INLAY_FUNCTION_TABLE(INLAY_HIP, INLAY_HIP_FUNCTION)  // and the library knows the program's kernels
    const char* (*hipGetErrorString)(hipError_t) = nullptr;
};
const hip_functions& hip();
// Registers the kernels of this program with the library, as the compiler's code gave them to kernels.cpp; an empty
// text, or what is missing.
std::string register_kernels(void* library);
}  // namespace v1
}  // namespace inlay
