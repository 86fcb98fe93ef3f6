// From a graph and the shapes of its inputs to a plan: which provider runs each node, and where each value lies.
// Nothing is bound.
#pragma once
#include "compiled_plan.hpp"
#include "session_graph.hpp"
#include "session_setup.hpp"

namespace inlay {
inline namespace v1 {
class planner {
    const session_setup& setup_;
    const session_graph& graph_;
    mutable kept_proposals proposals_;
    void place_arguments(compiled_plan&) const;
    erased_providers list(const constant_source&) const;

  public:
    planner(const session_setup&, const session_graph&);
    // room: capacity of a cache, in rows. Raises no_provider where no provider of the list runs a node, shape_mismatch
    // where a shape rule refuses the shapes, limit_exceeded where a run would need too much memory.
    std::shared_ptr<compiled_plan> plan(std::span<const shape> inputs, std::int64_t room = 0,
                                        const std::shared_ptr<const placement>& = {}) const;
    // The placement independent of input shapes: as far as the shapes that the graph declares determine it.
    struct declared {
        assignment assigned;
        std::shared_ptr<const void> answers;  // of engines: owns their texts
    };
    declared assign_declared() const;
    void check_coverage() const;  // raises no_provider where no provider runs a node, whatever the shapes
    const progress_function& progress() const;
};
}  // namespace v1
}  // namespace inlay
