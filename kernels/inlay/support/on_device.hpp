// INLAY_ON_DEVICE marks functions that CUDA threads call as well as plain loops; it says nothing to other compilers.
// Functions that are constexpr need no mark: CUDA sources are compiled with --expt-relaxed-constexpr.
#pragma once
#ifdef __CUDACC__
#define INLAY_ON_DEVICE __host__ __device__
#else
#define INLAY_ON_DEVICE
#endif
