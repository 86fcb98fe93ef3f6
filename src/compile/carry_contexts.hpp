// Copies what engines compiled from a model's file into an embedded model.
#pragma once
#include <inlay/model.hpp>

namespace inlay {
inline namespace v1 {
// Turns the nodes that represent saved regions into operators of the embedded model: op::ep_context, with the region's
// bytes as a constant. Raises an error for a region that is damaged, or contradicts its file.
void carry_contexts(graph_data&, const model& source);
}  // namespace v1
}  // namespace inlay
