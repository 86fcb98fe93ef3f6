// A graph for one set of input shapes: every shape that follows from them, and every small value that follows from
// shapes and constants.
#pragma once
#include "run_node.hpp"
#include <inlay/sdk/graph_data.hpp>

namespace inlay {
inline namespace v1 {
// Where the shape rule of a node's operator is found; null: nowhere.
using rule_lookup = std::function<const entry*(const node&)>;

struct specialised {
    live_graph graph;
    std::span<const graph_constant> constants;      // the graph's constants
    std::vector<graph_constant> extra_constants{};  // known by these shapes: their indexes follow the graph's own
    specialised(const graph_data& g, const graph_view& v) : graph(v), constants(g.constants) {}
    const graph_constant& constant(int index) const {
        return std::size_t(index) < constants.size() ? constants[std::size_t(index)]
                                                     : extra_constants[std::size_t(index) - constants.size()];
    }
    bool follows_from_shapes(int constant) const { return constant >= int(constants.size()); }
};

// How embedded models differ: they are planned once, for the largest shapes of any run.
struct shape_bounds {
    std::vector<char> free{};  // by symbol: its size changes from run to run, up to that in `inputs`
    // Outputs with data-dependent shapes get the largest shapes that their operators give.
    bool bounded = false;
    // Operators without a rule get the shapes of the loaded model, inferred by ONNX or declared by the file.
    bool as_loaded = false;
};

// `g` and `v`, which is its view, must outlive the result. Raises shape_mismatch where a shape rule refuses the shapes.
// Values that follow from shapes which change between runs are no constants; small integers among them hold the values
// for `inputs`.
specialised specialise(const graph_data& g, const graph_view& v, std::span<const shape> inputs, const rule_lookup& rule,
                       const shape_bounds& bounds = {});
}  // namespace v1
}  // namespace inlay
