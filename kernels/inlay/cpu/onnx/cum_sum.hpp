// CumSum and CumProd of float32 on the CPU: the reference kernel, which reads memory in its order; 16 bits are
// widened before it.
#pragma once
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/cum_sum.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::cum_sum, device::cpu, types<float>> : kernel<op::cum_sum, device::reference, types<float>> {};
template <>
struct kernel<op::cum_prod, device::cpu, types<float>> : kernel<op::cum_prod, device::reference, types<float>> {};
}  // namespace v1
}  // namespace inlay
