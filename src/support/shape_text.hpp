// The shape of a node's input, for the reason of a refusal.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
inline std::string shape_text(const node_view& n, int k) { return to_string(n.input(k).dims); }
}  // namespace v1
}  // namespace inlay
