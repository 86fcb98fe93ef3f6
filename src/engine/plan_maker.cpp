#include "plan_maker.hpp"
#include "session_log.hpp"

namespace inlay {
inline namespace v1 {
std::shared_ptr<compiled_plan> plan_maker::make(std::span<const shape> inputs, std::int64_t room) {
    std::shared_ptr<const placement> placed;
    {
        const std::lock_guard lock(mutex_);
        placed = placed_;
    }
    const bool by_cost = setup_.options.partition == partition_by::cost && !graph_.is_part && setup_.handles.size() > 1;
    if (by_cost && !placed && !room && !setup_.backends.plan_only) return make_by_cost(inputs);
    return make_placed(inputs, room, placed);
}
std::shared_ptr<compiled_plan> plan_maker::make_placed(std::span<const shape> inputs, std::int64_t room,
                                                       const std::shared_ptr<const placement>& placed) {
    for (;;) {
        auto p = planner_.plan(inputs, room, placed);
        if (setup_.backends.plan_only) return p;
        try {
            binder_.bind(*p, planner_.progress());
            return p;
        } catch (const provider_failure& f) {
            if (!setup_.failed.replace(f.provider, f.cause.text)) raise(f.cause);
        } catch (const kernel_refusal&) {  // it is excluded: another one takes the node
        }
    }
}
std::shared_ptr<compiled_plan> plan_maker::make_by_cost(std::span<const shape> inputs) {
    auto greedy = make_placed(inputs, 0, nullptr);
    if (setup_.backends.plan_only) return greedy;
    std::shared_ptr<compiled_plan> plan = greedy;
    try {
        const plan_trials with{setup_, graph_, contexts_, runner_,
                               [&](const auto& placed) { return make_placed(inputs, 0, placed); }};
        plan = fastest_plan(with, inputs, greedy);
    } catch (const error& e) {
        setup_.failed.add_note("the partition is by order, for no plan could be timed: " + e.text);
    }
    greedy = nullptr;
    {
        const std::lock_guard lock(mutex_);
        placed_ = plan->placed ? plan->placed : std::make_shared<placement>(graph_.view.nodes.size());
    }
    states_.drop_unused();  // states that only the other plans used
    return plan;
}
}  // namespace v1
}  // namespace inlay
