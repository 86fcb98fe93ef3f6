// A graph as plugins see it: the same facts, in structs of C.
#pragma once
#include <inlay/plugin.h>
#include <inlay/sdk/graph.hpp>
#include <deque>
#include <vector>

namespace inlay {
inline namespace v1 {
class plugin_graph {
    std::deque<std::string> strings_;
    std::vector<inlay_text> texts_;
    std::vector<inlay_attribute> attributes_;
    std::vector<inlay_value> values_;
    std::vector<inlay_node> nodes_;
    std::vector<const inlay_attribute*> attribute_list_;
    std::vector<const inlay_value*> value_list_;
    std::vector<const inlay_node*> node_list_;
    inlay_graph graph_{};

    inlay_text text(std::string_view);
    inlay_attribute translated(const graph_view&, const attribute&);
    inlay_value translated(const graph_view&, const value&);
    inlay_node translated(const graph_view&, const node&);

  public:
    explicit plugin_graph(const graph_view&);  // which outlives it
    plugin_graph(const plugin_graph&) = delete;
    plugin_graph& operator=(const plugin_graph&) = delete;
    const inlay_graph* get() const { return &graph_; }
};
// What version 1 of the interface cannot express of a node, so that a plugin is not queried about it; empty: nothing.
std::string untold_of(const graph_view&, const node&);
}  // namespace v1
}  // namespace inlay
