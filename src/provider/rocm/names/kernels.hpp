// Read before each source of kernels, when clang compiles it as HIP: what nvcc gives such a source by itself, by HIP's
// names. A team of 32 threads is half of a wavefront where that has 64.
#pragma once
#include <hip/hip_runtime.h>
// After HIP's own headers, which would take it for CUDA:
#include "cuda_runtime_api.h"
#define __CUDACC__
#ifdef __HIP_DEVICE_COMPILE__
#define __CUDA_ARCH__ 0
#endif

template <class T> __device__ T __shfl_xor_sync(unsigned, T x, int distance) { return __shfl_xor(x, distance, 32); }
