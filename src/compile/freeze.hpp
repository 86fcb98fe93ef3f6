// A model's graph for fixed input shapes, as an embedded model holds it: with only what a run needs.
#pragma once
#include <inlay/model.hpp>

namespace inlay {
inline namespace v1 {
// The size of a free dimension of the model's inputs, or its bounds.
struct dimension_size {
    std::string name;
    std::int64_t least, most;
};

struct frozen_model {
    model source;                            // has the names
    graph_data graph;                        // every shape is known: free dimensions are at their upper bounds
    std::vector<shape> input_shapes;         // -2 - d stands for free dimension d
    std::vector<dimension_size> dimensions;  // that have bounds
};
// What follows from shapes is a constant, except where they may change; records keep their order.
// Raises an error, with the node's name, for what an embedded model cannot hold.
frozen_model freeze(const model& m, std::span<const dimension_size> sizes);
}  // namespace v1
}  // namespace inlay
