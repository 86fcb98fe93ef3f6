// A graph that a session runs: the model's, or a body of control flow; with the shapes that operators' rules give.
#pragma once
#include "bound_states.hpp"
#include "kept_pairs.hpp"
#include "saved_regions.hpp"

namespace inlay {
inline namespace v1 {
class session_graph {
  public:
    // All of them outlive it.
    session_graph(const graph_data&, const graph_view&, const std::vector<provider_handle>& handles);
    session_graph(const session_graph&) = delete;
    session_graph& operator=(const session_graph&) = delete;

    const graph_data& data;
    graph_view view;
    bool is_part = false;                    // a body of control flow, or a piece: planned while others run
    std::shared_ptr<bound_states> states{};  // the model's: shared by its sessions
    std::vector<kept_pair> kept_pairs{};
    std::vector<int> counting_masks{};                  // positions of inputs
    std::shared_ptr<const restored_target> restored{};  // where it has nodes that represent saved regions

    const entry* rule_for(const node&) const;

  private:
    const std::vector<provider_handle>& handles_;
    std::vector<value> values_;  // of the view
    void apply_shape_rules();
};
}  // namespace v1
}  // namespace inlay
