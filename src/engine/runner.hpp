// Runs the steps of a plan in a context, one after another.
#pragma once
#include "graph_bodies.hpp"
#include "kept_states.hpp"
#include "run_context.hpp"
#include "timed_steps.hpp"

namespace inlay {
inline namespace v1 {
struct step_watcher;

class runner {
  public:
    // Observer of each step of a run, where a provider of the list is a shadow run; none: no observer.
    using watcher_maker = std::function<std::unique_ptr<step_watcher>(const run_context&)>;
    runner(session_setup& s, const session_graph& g, kept_states& states, graph_bodies& bodies)
        : setup_(s), graph_(g), states_(states), bodies_(bodies) {}
    void set_watcher(watcher_maker m) { watcher_ = std::move(m); }

    // The inputs' pointers are set.
    status execute(run_context&, const run_options&) const;
    status execute_timed(run_context&, const run_options&, moment* marks) const;  // a start and an end of each step
    status execute_timed(run_context&, const run_options&, timed_steps&) const;
    // Calls mark() before and after each step; devices finish the step first.
    status execute_marked(run_context&, const run_options&, const std::function<void()>& mark) const;
    run_profile profile(run_context&, int runs, const run_options&) const;  // raises errors

  private:
    session_setup& setup_;
    const session_graph& graph_;
    kept_states& states_;
    graph_bodies& bodies_;
    watcher_maker watcher_{};

    template <bool Timed, class Mark> status run_steps(run_context&, const run_options&, Mark) const;
    status do_step(run_context&, const exec_step&, context&, const run_options&) const;
    status run_together(run_context&, std::size_t first, context&, const run_options&) const;
    status execute_beside(run_context&, const run_options&) const;  // a second implementation computes each step too
    std::shared_ptr<bound_state> bind_late_kernel(run_context&, const step&, int provider, int kernel,
                                                  const void* params, std::int64_t bytes, constants) const;
    void run_late(run_context&, const exec_step&, const context&) const;
    void run_control_flow(run_context&, const exec_step&, const run_options&) const;
    step_profile describe_step(const run_context&, const exec_step&) const;
};
// Stores the outputs of a step with data-dependent shapes in the context.
void store_outputs(run_context&, const exec_step&, std::span<any_value>);
}  // namespace v1
}  // namespace inlay
