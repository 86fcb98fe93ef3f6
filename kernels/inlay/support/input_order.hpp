// The layouts of kernels that write the elements of input 0 in its order, whatever the other inputs are: only plain
// where it is a constant, because constants stay plain and another input would decide.
#pragma once
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
constexpr layout_rule order_of_input(const node_view& n) {
    return n.is_constant(0) ? layout_rule{} : layout_rule{layout::any, layout::any};
}
}  // namespace v1
}  // namespace inlay
