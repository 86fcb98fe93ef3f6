// From a graph and the shapes of its inputs to a plan: who runs which node, and where each value lies. Nothing is
// bound.
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
    // room: of a cache, in rows. Raises no_provider where no provider of the list runs a node, shape_mismatch where a
    // shape rule refuses the shapes, limit_exceeded where a run would take too much.
    std::shared_ptr<compiled_plan> plan(std::span<const shape> inputs, std::int64_t room = 0,
                                        const std::shared_ptr<const placement>& = {}) const;
    // Who runs what, whatever the shapes: as far as those that the graph declares tell.
    struct declared {
        assignment assigned;
        std::shared_ptr<const void> answers;  // of engines: keeps their texts
    };
    declared assign_declared() const;
    void check_coverage() const;  // raises no_provider where no provider runs a node, whatever the shapes
    const progress_function& progress() const;
};
}  // namespace v1
}  // namespace inlay
