// LSTM of float32 on CUDA.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::lstm, device::cuda, types<float>> : recurrent_on_cuda<float, lstm_cell<float>> {};
template <> struct kernel<op::lstm, device::cuda, types<float16>> : recurrent_on_cuda<float16, lstm_cell<float16>> {};
template <>
struct kernel<op::lstm, device::cuda, types<bfloat16>> : recurrent_on_cuda<bfloat16, lstm_cell<bfloat16>> {};
}  // namespace v1
}  // namespace inlay
