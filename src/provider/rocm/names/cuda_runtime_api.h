// In the place of the header of that name: the runtime's names, for HIP's functions of the same meaning.
#pragma once
#include "../hip.hpp"

using cudaError_t = hipError_t;
using cudaStream_t = hipStream_t;
using cudaEvent_t = hipEvent_t;
using cudaGraph_t = hipGraph_t;
using cudaGraphExec_t = hipGraphExec_t;
using cudaMemPool_t = hipMemPool_t;
using cudaMemPoolProps = hipMemPoolProps;
using cudaFuncAttributes = hipFuncAttributes;
inline constexpr auto cudaSuccess = hipSuccess;
inline constexpr auto cudaMemcpyDeviceToHost = hipMemcpyDeviceToHost;
inline constexpr auto cudaMemcpyDefault = hipMemcpyDefault;
inline constexpr auto cudaMemAllocationTypePinned = hipMemAllocationTypePinned;
inline constexpr auto cudaMemLocationTypeDevice = hipMemLocationTypeDevice;
inline constexpr auto cudaDevAttrMemoryPoolsSupported = hipDeviceAttributeMemoryPoolsSupported;
inline constexpr auto cudaStreamCaptureModeThreadLocal = hipStreamCaptureModeThreadLocal;
inline constexpr unsigned cudaStreamNonBlocking = hipStreamNonBlocking, cudaEventDisableTiming = hipEventDisableTiming,
                          cudaHostAllocMapped = hipHostMallocMapped, cudaHostAllocPortable = hipHostMallocPortable;

// f(of CUDA) is f(of HIP), arguments and all.
#define INLAY_NAMED(cuda_name, hip_name) \
    template <class... A> hipError_t cuda_name(A... arguments) { return inlay::hip().hip_name(arguments...); }
INLAY_NAMED(cudaDeviceGetAttribute, hipDeviceGetAttribute)
INLAY_NAMED(cudaEventCreateWithFlags, hipEventCreateWithFlags)
INLAY_NAMED(cudaEventDestroy, hipEventDestroy)
INLAY_NAMED(cudaEventRecord, hipEventRecord)
INLAY_NAMED(cudaFree, hipFree)
INLAY_NAMED(cudaFreeAsync, hipFreeAsync)
INLAY_NAMED(cudaFreeHost, hipHostFree)
INLAY_NAMED(cudaGetDevice, hipGetDevice)
INLAY_NAMED(cudaGetLastError, hipGetLastError)
INLAY_NAMED(cudaGraphDestroy, hipGraphDestroy)
INLAY_NAMED(cudaGraphExecDestroy, hipGraphExecDestroy)
INLAY_NAMED(cudaGraphLaunch, hipGraphLaunch)
INLAY_NAMED(cudaHostAlloc, hipHostMalloc)
INLAY_NAMED(cudaMalloc, hipMalloc)
INLAY_NAMED(cudaMallocFromPoolAsync, hipMallocFromPoolAsync)
INLAY_NAMED(cudaMemPoolCreate, hipMemPoolCreate)
INLAY_NAMED(cudaMemPoolDestroy, hipMemPoolDestroy)
INLAY_NAMED(cudaMemcpyAsync, hipMemcpyAsync)
INLAY_NAMED(cudaSetDevice, hipSetDevice)
INLAY_NAMED(cudaStreamBeginCapture, hipStreamBeginCapture)
INLAY_NAMED(cudaStreamCreateWithFlags, hipStreamCreateWithFlags)
INLAY_NAMED(cudaStreamDestroy, hipStreamDestroy)
INLAY_NAMED(cudaStreamEndCapture, hipStreamEndCapture)
INLAY_NAMED(cudaStreamSynchronize, hipStreamSynchronize)
INLAY_NAMED(cudaStreamWaitEvent, hipStreamWaitEvent)
#undef INLAY_NAMED
inline const char* cudaGetErrorString(hipError_t e) { return inlay::hip().hipGetErrorString(e); }
inline hipError_t cudaGraphInstantiate(hipGraphExec_t* work, hipGraph_t graph, unsigned) {
    return inlay::hip().hipGraphInstantiate(work, graph, nullptr, nullptr, 0);
}
template <class Kernel> hipError_t cudaFuncGetAttributes(hipFuncAttributes* about, Kernel* kernel) {
    return inlay::hip().hipFuncGetAttributes(about, reinterpret_cast<const void*>(kernel));
}
