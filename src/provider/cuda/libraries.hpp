// cuBLASLt and cuDNN as tables of functions, opened when first used: a program must start where there are none.
#pragma once
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn_graph.h>
#include <string>

namespace inlay {
inline namespace v1 {
#define INLAY_CUBLASLT(X) \
    X(cublasLtCreate) \
    X(cublasLtDestroy) \
    X(cublasLtGetVersion) \
    X(cublasLtMatmul) \
    X(cublasLtMatmulAlgoGetHeuristic) \
    X(cublasLtMatmulDescInit_internal) \
    X(cublasLtMatmulDescSetAttribute) \
    X(cublasLtMatrixLayoutInit_internal) \
    X(cublasLtMatrixLayoutSetAttribute) \
    X(cublasLtMatmulPreferenceInit_internal) \
    X(cublasLtMatmulPreferenceSetAttribute)
#define INLAY_CUDNN(X) \
    X(cudnnCreate) \
    X(cudnnDestroy) \
    X(cudnnSetStream) \
    X(cudnnGetVersion) \
    X(cudnnGetCudartVersion) \
    X(cudnnGetErrorString) \
    X(cudnnBackendCreateDescriptor) \
    X(cudnnBackendDestroyDescriptor) \
    X(cudnnBackendFinalize) \
    X(cudnnBackendSetAttribute) \
    X(cudnnBackendGetAttribute) \
    X(cudnnBackendExecute)
#define INLAY_MEMBER(f) decltype(&::f) f = nullptr;
struct cublaslt_functions {
    std::string problem;  // empty: all are there
    INLAY_CUBLASLT(INLAY_MEMBER)
};
struct cudnn_functions {
    std::string problem;
    INLAY_CUDNN(INLAY_MEMBER)
};
#undef INLAY_MEMBER
const cublaslt_functions& cublaslt();
const cudnn_functions& cudnn();
}  // namespace v1
}  // namespace inlay
