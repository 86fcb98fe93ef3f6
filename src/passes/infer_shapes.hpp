// The shapes of a node's outputs by its operator's own rule. A rule works on known sizes only: where the inputs have
// open ones it is called with examples, and what all of its answers have in common is inferred.
#pragma once
#include <inlay/sdk/graph_data.hpp>
#include <functional>

namespace inlay {
inline namespace v1 {
namespace passes {
// A name for the open dimension `axis` of a value, which no other dimension of any graph has: -2 - its symbol.
using name_dimension = std::function<std::int64_t(int value, int axis)>;

class shape_inference {
    std::int64_t limit_, left_;
    name_dimension name_;

  public:
    // limit: of values that rules are queried about, each time counted.
    shape_inference(std::int64_t limit, name_dimension name) : limit_(limit), left_(limit), name_(std::move(name)) {}
    // Sets the shapes of the outputs, in place of declared shapes where the rule gives better ones. Raises
    // limit_exceeded.
    void infer(graph_data& g, const node& n);
    // Sets the shape of a value that is neither a constant nor a container: its open dimensions get names.
    void set(graph_data& g, int value, shape dims) const;
    // Counts values that are visited.
    void spend(std::int64_t values);
};
}  // namespace passes
}  // namespace v1
}  // namespace inlay
