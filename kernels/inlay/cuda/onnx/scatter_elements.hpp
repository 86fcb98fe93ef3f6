// ScatterElements and Scatter on CUDA.
#pragma once
#include <inlay/onnx/scatter_elements.hpp>
#include "scatter.hpp"

namespace inlay::inline v1 {
template <class T> using scatter_elements_on_cuda = scatter_on_cuda<scatter_elements_kernel<T>, T>;
template <int Bits> struct kernel<op::scatter_elements, device::cuda, types<raw<Bits>>> : scatter_elements_on_cuda<raw<Bits>> {};
template <joinable T> struct kernel<op::scatter_elements, device::cuda, types<T>> : scatter_elements_on_cuda<T> {};
template <int Bits> struct kernel<op::scatter, device::cuda, types<raw<Bits>>> : scatter_elements_on_cuda<raw<Bits>> {};
}  // namespace inlay::inline v1
