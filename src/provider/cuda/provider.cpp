// The kernel table of the provider: it names every operator, and has those of kernels/inlay/cuda.
#include <inlay/cuda/support/relayout.hpp>
#include <inlay/plan/conversion.hpp>
#include <inlay/provider/cuda.hpp>

namespace inlay {
inline namespace v1 {
template const kernel_table& kernels_of<cuda>();
template conversion_functions conversion_of<device::cuda>(int bits);
}  // namespace v1
}  // namespace inlay
