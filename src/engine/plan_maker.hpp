// Plans that can run: planned, then bound; this is repeated where a provider fails and others take over, or where a
// kernel refuses. By cost, the plans of some placements are run first.
#pragma once
#include "binder.hpp"
#include "cost.hpp"

namespace inlay {
inline namespace v1 {
class plan_maker {
    session_setup& setup_;
    const session_graph& graph_;
    const planner& planner_;
    context_pool& contexts_;
    const runner& runner_;
    kept_states& states_;
    binder binder_;
    std::mutex mutex_;
    std::shared_ptr<const placement> placed_;  // by the costs of the first shapes; null: not yet, or not at all

    std::shared_ptr<compiled_plan> make_placed(std::span<const shape> inputs, std::int64_t room,
                                               const std::shared_ptr<const placement>&);
    std::shared_ptr<compiled_plan> make_by_cost(std::span<const shape> inputs);

  public:
    plan_maker(session_setup& s, const session_graph& g, const planner& p, context_pool& contexts, const runner& r,
               kept_states& states)
        : setup_(s), graph_(g), planner_(p), contexts_(contexts), runner_(r), states_(states), binder_(s, g, states) {}
    std::shared_ptr<compiled_plan> make(std::span<const shape> inputs, std::int64_t room);
};
}  // namespace v1
}  // namespace inlay
