// The kernel table of the provider: it names every operator, and has those of kernels/cuda.
#include <inlay/conversion.hpp>
#include <inlay/kernels/cuda/relayout.hpp>
#include <inlay/provider/cuda.hpp>

namespace inlay::inline v1 {
template const kernel_table& kernels_of<cuda>();
template conversion_functions conversion_of<device::cuda>(int bits);
}  // namespace inlay::inline v1
