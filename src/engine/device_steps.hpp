// Steps other than kernels with planned shapes: they look up memory in the context.
#pragma once
#include "run_context.hpp"

namespace inlay {
inline namespace v1 {
status run_telling(run_context&, const exec_step&, context&);     // a kernel that reports the sizes of its outputs
status transfer_value(run_context&, const exec_step&, context&);  // between memory spaces
status run_region(run_context&, const exec_step&, context&);
}  // namespace v1
}  // namespace inlay
