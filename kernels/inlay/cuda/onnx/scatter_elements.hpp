// ScatterElements and Scatter on CUDA.
#pragma once
#include "scatter.hpp"
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/scatter_elements.hpp>

namespace inlay {
inline namespace v1 {
template <class T> using scatter_elements_on_cuda = scatter_on_cuda<scatter_elements_kernel<T>, T>;
template <int Bits>
struct kernel<op::scatter_elements, device::cuda, types<raw<Bits>>> : scatter_elements_on_cuda<raw<Bits>> {};
template <joinable T> struct kernel<op::scatter_elements, device::cuda, types<T>> : scatter_elements_on_cuda<T> {};
template <int Bits> struct kernel<op::scatter, device::cuda, types<raw<Bits>>> : scatter_elements_on_cuda<raw<Bits>> {};
}  // namespace v1
}  // namespace inlay
