// Steps that are no kernels of planned shapes: what a context tells of memory, they look up.
#pragma once
#include "run_context.hpp"

namespace inlay {
inline namespace v1 {
status run_telling(run_context&, const exec_step&, context&);     // a kernel that tells how large its outputs are
status transfer_value(run_context&, const exec_step&, context&);  // between memory spaces
status run_region(run_context&, const exec_step&, context&);
}  // namespace v1
}  // namespace inlay
