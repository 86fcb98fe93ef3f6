// A graph as the documents' GraphViewer shows it: all of it, or the nodes of one region.
#pragma once
#include <inlay/ort_provider.hpp>
#include <deque>

namespace inlay {
inline namespace v1 {
namespace ort {
// When initialisers' elements are read: as long as their lender exists, or when the copy is built.
enum class lending { later, at_once };
class graph_copy {
    const graph_view& g_;  // while it is built
    const constant_source* constants_;
    lending when_;
    std::deque<NodeArg> args_;
    std::deque<Node> nodes_;
    std::deque<TensorProto> tensors_;
    std::vector<const NodeArg*> by_value_;
    NodeArg absent_;

    const NodeArg* arg_of(int value);
    std::vector<const NodeArg*> args_of(range list);
    TensorProto tensor_of(int value, const std::string& name) const;
    AttributeProto attribute_of(const attribute& a) const;
    void add_node(int index, bool free);
    void connect(const Node& from, int output, Node& to, int input);
    void add_edges();
    void show_inputs(std::span<const int> values);

  public:
    GraphViewer viewer;

    // Shows the nodes of `shown`, ascending; `free`, ascending too, are those that no provider has yet.
    graph_copy(const graph_view& g, std::span<const int> shown, std::span<const int> free,
               const constant_source* constants, lending when);
    graph_copy(const graph_copy&) = delete;
    // The node that represents all that are shown; inputs and outputs of the viewer become its own. A name that no
    // value of the nodes has gives an error's text.
    result<Node*> fuse(const IndexedSubGraph::MetaDef& meta, const std::string& name);
};
}  // namespace ort
}  // namespace v1
}  // namespace inlay
