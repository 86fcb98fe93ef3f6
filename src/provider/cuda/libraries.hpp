// cuBLASLt and cuDNN as tables of functions, opened when first used: a program must start where there are none.
#pragma once
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn_graph.h>
#include <platform/shared_library.hpp>

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
struct cublaslt_functions {
    INLAY_FUNCTION_TABLE(INLAY_CUBLASLT, INLAY_DECLARED_FUNCTION)
};
struct cudnn_functions {
    INLAY_FUNCTION_TABLE(INLAY_CUDNN, INLAY_DECLARED_FUNCTION)
};
const cublaslt_functions& cublaslt();
const cudnn_functions& cudnn();
}  // namespace v1
}  // namespace inlay
