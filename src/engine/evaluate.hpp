// Runs one node by the operators' reference kernels, or equivalently: for constant folding and for nodes with
// data-dependent shapes.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <inlay/tensor.hpp>

namespace inlay {
inline namespace v1 {
// `inputs`: one per input of the node, an empty tensor where it is absent. Fails where no reference kernel runs it.
result<std::vector<tensor>> evaluate(const graph_view& g, const node& n, std::span<const tensor> inputs);
}  // namespace v1
}  // namespace inlay
