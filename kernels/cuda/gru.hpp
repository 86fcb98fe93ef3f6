// GRU of float on CUDA.
#pragma once
#include "recurrent.hpp"

namespace inlay::inline v1 {
template <> struct kernel<op::gru, device::cuda, types<float>> : recurrent_on_cuda<gru_cell<float>> {};
}  // namespace inlay::inline v1
