// Operators that a program or a library brings, while a model is read.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
// The element type of output k of a node; undefined: none of these operators is of the node's name.
using foreign_types = std::function<element(const node_view&, int k)>;

// While it lives, output_type() of this thread asks it for what no stock operator tells.
class foreign_operators {
    foreign_types types_;
    const foreign_types* before_;

  public:
    explicit foreign_operators(foreign_types);
    foreign_operators(const foreign_operators&) = delete;
    ~foreign_operators();
};
}  // namespace v1
}  // namespace inlay
