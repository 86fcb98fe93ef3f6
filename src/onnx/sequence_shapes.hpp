// Shapes of the tensors in sequences that the nodes of one graph fill, as ONNX infers them. A sequence from outside,
// which a caller passes, or a Loop one iteration to the next, may hold tensors of other shapes than its declaration
// has.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace loading {
class sequence_shapes {
    std::unordered_map<int, shape> members_{};  // what all of a sequence's tensors have in common, by value

    shape members(const node_view& n, int input) const;
    shape written(const node_view& n) const;

  public:
    // After the node's inputs: notes what its sequence holds. Returns the shape of output 0 where that is a tensor of
    // such a sequence; unknown else.
    shape visit(const node_view& n);
};
}  // namespace loading
}  // namespace v1
}  // namespace inlay
