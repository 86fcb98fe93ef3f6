// The parts of a session: they plan its graph, cache the plans and run them; and the course of a run through them.
// Bodies of control flow, and pieces of a graph, are cores of their own over the same setup.
#pragma once
#include "plan_cache.hpp"
#include "plan_maker.hpp"

namespace inlay {
inline namespace v1 {
struct grown_values;

class session_core {
  public:
    // Of a model, which has the graph. Raises errors of providers that cannot be used, and of options.
    session_core(const inlay::model&, std::shared_ptr<bound_states>, session_options, std::vector<provider_handle>);
    // Of another graph: a body of the enclosing one, or a piece of it.
    session_core(const session_core& around, const graph_data&, const graph_view&);
    session_core(const session_core&) = delete;
    session_core& operator=(const session_core&) = delete;

    const std::optional<inlay::model> source{};   // none: of a body, or a piece
    const std::shared_ptr<session_setup> shared;  // by all graphs of the session
    session_setup& setup = *shared;
    session_graph graph;
    bool implicit_cpu = false;
    std::vector<std::string> notes{};  // for reports
    inlay::planner planner;
    context_pool contexts;
    graph_bodies bodies;
    inlay::runner runner;
    plan_cache plans;

    // room: capacity of a cache, in rows.
    std::shared_ptr<const compiled_plan> plan_for(std::span<const shape> inputs, std::int64_t room = 0);
    // A plan and a context for it. Raises limit_exceeded where the plan alone needs more.
    std::unique_ptr<run_context> context_for(std::span<const shape> inputs, std::int64_t room, std::int64_t most_bytes);
    // Inputs in the graph's order; outputs by position. Raises errors. executed: is added to.
    void run(std::span<const any_value* const> inputs, std::span<const int> positions, std::span<any_value> outputs,
             const run_options&, std::int64_t most_bytes, timed_steps* = nullptr, grown_values* = nullptr,
             std::vector<std::int64_t>* executed = nullptr);
    // Reports each step before and after it. False: the run ends there, without results. `begin` gets the context
    // first. Raises errors.
    struct step_marks {
        std::function<void(run_context&)> begin;
        std::function<bool(run_context&, const exec_step&, bool after)> mark;
    };
    void watch(std::span<const any_value* const> inputs, const run_options&, const step_marks&);
    std::shared_ptr<const compiled_plan> plan_for_report(
        std::string* reason = nullptr);  // null: none can be created where symbolic dimensions are 1
    void check_bodies();                 // that providers run the nodes of all bodies of control flow
    std::int64_t held_bytes() const;     // by contexts that no run uses, those of bodies too
    void release_memory();               // of these contexts

  private:
    kept_states states_;
    plan_maker maker_;
    std::atomic<bool> departures_logged_{false};

    void log_plan(const compiled_plan&, std::chrono::steady_clock::duration);
    void log_departures(const compiled_plan&);
};
}  // namespace v1
}  // namespace inlay
