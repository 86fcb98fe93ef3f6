// ScatterND on CUDA.
#pragma once
#include "scatter.hpp"
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/scatter_nd.hpp>

namespace inlay {
inline namespace v1 {
template <class T> using scatter_nd_on_cuda = scatter_on_cuda<kernel<op::scatter_nd, device::reference, types<T>>, T>;
template <int Bits> struct kernel<op::scatter_nd, device::cuda, types<raw<Bits>>> : scatter_nd_on_cuda<raw<Bits>> {};
template <joinable T> struct kernel<op::scatter_nd, device::cuda, types<T>> : scatter_nd_on_cuda<T> {};
}  // namespace v1
}  // namespace inlay
