// Runs one node by the operators' plain loops, or as they would: for constant folding and for nodes whose shapes are
// known only while they run.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <inlay/tensor.hpp>

namespace inlay {
inline namespace v1 {
// `inputs`: one per input of the node, an empty tensor where it is absent. Fails where no plain loop runs the node.
result<std::vector<tensor>> evaluate(const graph_view& g, const node& n, std::span<const tensor> inputs);
}  // namespace v1
}  // namespace inlay
