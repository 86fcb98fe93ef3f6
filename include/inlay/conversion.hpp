// The kernels that steps between layouts run: by the size of an element.
#pragma once
#include <inlay/kernels/cpu/relayout.hpp>
#include <inlay/kernels/relayout.hpp>

namespace inlay::inline v1 {
template <int Bits> using conversion_kernel = kernel<op::relayout, device::cpu, types<raw<Bits>>>;
}  // namespace inlay::inline v1
