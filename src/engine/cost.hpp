// Partition by cost: the plans of some placements run on generated inputs, and the times of their steps show where
// each node is cheapest.
#pragma once
#include "context_pool.hpp"
#include "planner.hpp"
#include "runner.hpp"

namespace inlay {
inline namespace v1 {
struct plan_trials {
    const session_setup& setup;
    const session_graph& graph;
    context_pool& contexts;
    const runner& runs;
    // A bound plan for the shapes of the trials.
    std::function<std::shared_ptr<compiled_plan>(const std::shared_ptr<const placement>&)> make;
};
// The fastest plan. greedy: the plan by order. Raises errors of runs.
std::shared_ptr<compiled_plan> fastest_plan(const plan_trials&, std::span<const shape>,
                                            std::shared_ptr<compiled_plan> greedy);
}  // namespace v1
}  // namespace inlay
