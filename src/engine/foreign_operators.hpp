// Operators that a program or a library adds, while a model is loaded.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
// The element type of output k of a node; undefined: none of these operators has the node's name.
using foreign_types = std::function<element(const node_view&, int k)>;

// While it lives, output_type() of this thread queries it for types that no stock operator gives.
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
