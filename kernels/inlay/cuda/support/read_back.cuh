// One number of the device's, for the host, when all that was launched is done: such as how large an output is.
#pragma once
#include "launch.cuh"

namespace inlay {
inline namespace v1 {
template <class T> status read_back([[maybe_unused]] context& c, const T* from, T& to) noexcept {
#ifdef __CUDACC__
    const auto stream = static_cast<cudaStream_t>(c.stream);
    cudaError_t e = cudaMemcpyAsync(&to, from, sizeof to, cudaMemcpyDeviceToHost, stream);
    if (e == cudaSuccess) e = cudaStreamSynchronize(stream);
    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        return c.fail(cudaGetErrorString(e), status::failed);
    }
#else
    to = *from;
#endif
    return status::ok;
}
}  // namespace v1
}  // namespace inlay
