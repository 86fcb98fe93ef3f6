// Bound kernels that the plans of one graph use: a kernel whose state suits several of them is bound once.
#pragma once
#include "compiled_plan.hpp"
#include "session_graph.hpp"
#include "session_setup.hpp"

namespace inlay {
inline namespace v1 {
class kept_states {
    const session_setup& setup_;
    const session_graph& graph_;
    std::mutex mutex_;
    std::map<bound_states::key, std::shared_ptr<bound_state>> states_;

  public:
    kept_states(const session_setup& s, const session_graph& g) : setup_(s), graph_(g) {}
    // The result of bind() for a unit of the plan's graph; or the state bound for another plan, or another session.
    std::shared_ptr<bound_state> bind(const compiled_plan&, int unit, int provider, const kernel_functions&,
                                      const std::function<std::shared_ptr<bound_state>()>& bind);
    void drop_unused();  // by live plan
};
}  // namespace v1
}  // namespace inlay
