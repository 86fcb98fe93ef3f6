// The kernel tables of the stock providers, compiled once: they name every operator.
#include <inlay/provider/reference.hpp>

namespace inlay {
inline namespace v1 {
template const kernel_table& kernels_of<cpu>();
template const kernel_table& kernels_of<reference>();
}  // namespace v1
}  // namespace inlay
