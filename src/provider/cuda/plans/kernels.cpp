// What programs without the provider plan with: its kernels' answers.
#include <inlay/plan_only.hpp>
#include <inlay/provider/cuda.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_EXTERN(name, file) extern template std::span<const row> planned_rows<op::name, device::cuda>();
INLAY_OPERATORS(INLAY_EXTERN)  // compiled once, in the sources next to this one
#undef INLAY_EXTERN
template const kernel_table& planned_kernels_of<cuda>();
}  // namespace v1
}  // namespace inlay
