// Which nodes of an OrtGraph Inlay takes, in regions, and why it leaves the others.
#pragma once
#include "message.hpp"

namespace inlay::ep {
struct left_node {
    std::string name, op, reason;
};
struct claim {
    std::vector<std::vector<const OrtNode*>> regions{};  // none depends on itself through nodes outside
    std::vector<left_node> left{};
    std::size_t nodes = 0;     // of the graph
    std::string text() const;  // one line: how many are claimed, and what is left, the first few with their reasons
};
// The nodes that a session over this provider runs; without `all`, only those that it runs faster than ONNX Runtime, by
// slower.hpp. A body of a node that Inlay takes as a whole is left alone.
claim claim_of(const runtime&, const OrtGraph*, const provider_handle&, bool every_node);
// With these options a model has exactly the nodes of its message, and its runs may use any amount of memory.
model_options unchanged();
}  // namespace inlay::ep
