#include "compiled_plan.hpp"

namespace inlay {
inline namespace v1 {
const void* compiled_plan::readable(int index, bound_states& states) {
    const graph_constant& c = constant(index);
    const tensor t = c.get();
    if (is_aligned(t) && !c.is_made_on_demand()) return t.data();
    return own_constants.try_emplace(index, states.aligned_constant(t)).first->second.data();
}
}  // namespace v1
}  // namespace inlay
