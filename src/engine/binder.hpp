// From a plan to steps that can run: kernels as functions, with packed constants, and regions that engines compiled.
#pragma once
#include "device_queues.hpp"
#include "packing.hpp"
#include "region_compiler.hpp"

namespace inlay {
inline namespace v1 {
class binder {
    session_setup& setup_;
    const session_graph& graph_;
    kept_states& states_;
    region_compiler regions_;

    void find(compiled_plan&, place&) const;  // a constant that the host reads
    void upload_constants(compiled_plan&) const;
    int device_of_step(const plan&, const step&, const erased_providers&) const;
    void bind_late(compiled_plan&, exec_step&, const step&, const erased_providers&) const;
    void bind_step(compiled_plan&, exec_step&, const step&, const erased_providers&, packing&);
    void bind_steps(compiled_plan&, queues_entered&, stage_progress&);

  public:
    binder(session_setup& s, const session_graph& g, kept_states& states)
        : setup_(s), graph_(g), states_(states), regions_(s, g) {}
    // Takes the planner's plan. Raises provider_failure where a provider fails, and kernel_refusal where a kernel or
    // an engine refuses nodes after all; that one is not queried for them again. Any other error ends the work.
    void bind(compiled_plan&, const progress_function&);
};
}  // namespace v1
}  // namespace inlay
