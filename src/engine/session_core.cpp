#include "session_core.hpp"
#include "session_log.hpp"
#include "session_report.hpp"
#include "watch.hpp"
#include <inlay/shadow.hpp>

namespace inlay {
inline namespace v1 {
session_core::session_core(const inlay::model& m, std::shared_ptr<bound_states> states, session_options o,
                           std::vector<provider_handle> list)
    : source(m),
      shared(std::make_shared<session_setup>(std::move(o), std::move(list), m.view())),
      graph(m.graph(), m.view(), setup.handles),
      planner(setup, graph),
      contexts(setup),
      bodies(*this),
      runner(setup, graph, states_, bodies),
      plans(setup.options.plans, setup.failed),
      states_(setup, graph),
      maker_(setup, graph, planner, contexts, runner, states_) {
    setup.run_bytes = m.limits().run_bytes;
    graph.states = std::move(states);
    graph.view.precision = setup.precision;
    graph.kept_pairs = find_kept_pairs(graph.view);
    graph.counting_masks = find_counting_masks(graph.view, graph.kept_pairs);
    const auto shadowed =
        std::ranges::find_if(setup.handles, [](const provider_handle& h) { return h.shadow != nullptr; });
    if (shadowed != setup.handles.end())
        runner.set_watcher(
            [this, side = shadowed->shadow.get()](const run_context& c) { return side->watcher(*this, c); });
}
session_core::session_core(const session_core& around, const graph_data& g, const graph_view& v)
    : shared(around.shared),
      graph(g, v, setup.handles),
      planner(setup, graph),
      contexts(setup),
      bodies(*this),
      runner(setup, graph, states_, bodies),
      plans(setup.options.plans, setup.failed),
      states_(setup, graph),
      maker_(setup, graph, planner, contexts, runner, states_) {
    graph.states = around.graph.states;
    graph.is_part = true;
    graph.view.precision = setup.precision;
}

std::shared_ptr<const compiled_plan> session_core::plan_for(std::span<const shape> inputs, std::int64_t room) {
    if (auto plan = plans.find(inputs, room)) return plan;
    const auto begin = std::chrono::steady_clock::now();
    bool is_new = false;
    auto plan = plans.get(inputs, room, [&](std::span<const shape> key, std::int64_t rows) {
        is_new = true;
        return maker_.make(key, rows);
    });
    if (!is_new) return plan;
    if (logs(setup.options, severity::info)) log_plan(*plan, std::chrono::steady_clock::now() - begin);
    log_departures(*plan);
    return plan;
}
std::unique_ptr<run_context> session_core::context_for(std::span<const shape> inputs, std::int64_t room,
                                                       std::int64_t most_bytes) {
    if (const auto& obstacle = setup.backends.plan_only) {
        error e(error_code::provider_unavailable,
                obstacle->provider + ": this session can only plan: " + obstacle->reason);
        e.provider = obstacle->provider;
        raise(std::move(e));
    }
    for (;;) {
        auto plan = plan_for(inputs, room);
        if (plan->run_bytes > most_bytes) raise_run_bytes(plan->run_bytes, most_bytes);
        try {
            return contexts.take(std::move(plan), most_bytes);
        } catch (const provider_failure& f) {
            if (!setup.failed.replace(f.provider, f.cause.text)) raise(f.cause);
        }
    }
}
std::shared_ptr<const compiled_plan> session_core::plan_for_report(std::string* reason) {
    if (auto p = plans.newest()) return p->failures == setup.failed.count() ? p : plan_for(p->key, p->room);
    std::vector<shape> shapes;  // nothing ran yet: symbolic dimensions are set to 1, to show at least the placement
    for (int id : graph.view.inputs) {
        shape s = graph.view.values[std::size_t(id)].dims;
        for (int i = 0; i < s.rank; ++i)
            if (s[i] < 0) s[i] = 1;
        shapes.push_back(s);
    }
    try {
        return plan_for(shapes);
    } catch (const error& e) {
        if (e.code == error_code::stopped) throw;
        if (reason) *reason = e.text;
        return nullptr;
    }
}
void session_core::check_bodies() {
    for (std::size_t i = 0; i < graph.view.nodes.size(); ++i)
        for (const attribute& at : graph.view.attributes.subspan(std::size_t(graph.view.nodes[i].attributes.first),
                                                                 std::size_t(graph.view.nodes[i].attributes.count)))
            if (at.kind == attribute_kind::graph) {
                session_core& body = bodies.at(int(i), int(at.integer));
                body.planner.check_coverage();
                body.check_bodies();
            }
}
std::int64_t session_core::held_bytes() const {
    std::int64_t sum = contexts.held_bytes();
    for (const session_core* body : bodies.made()) sum += body->held_bytes();
    return sum;
}
void session_core::release_memory() {
    contexts.release();
    for (session_core* body : bodies.made()) body->release_memory();
}

void session_core::log_plan(const compiled_plan& p, std::chrono::steady_clock::duration took) {
    const plan_report r = report_of(*this, &p);
    if (logs(setup.options, severity::verbose))
        for (const auto& n : r.nodes)
            note_log(setup.options, severity::verbose, n.node + " (" + n.op + ") -> " + n.provider);
    std::string text = "planned " + (r.model.empty() ? "the model" : r.model) + " for";
    for (const auto& [name, dims] : r.inputs) text += " " + name + to_string(dims);
    note_log(setup.options, severity::info,
             text + ": " + std::to_string(r.steps) + " steps, " + std::to_string(r.arena_bytes) + " bytes of arena, " +
                 (setup.backends.plan_only ? "a plan only" : std::to_string(r.packed_bytes) + " of packed weights") +
                 "; it took " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) +
                 " ms");
}
// Once per session: how many nodes are not on the first provider of the list that has not failed.
void session_core::log_departures(const compiled_plan& p) {
    if (!source || departures_logged_.exchange(true)) return;
    const auto& handles = setup.handles;
    const auto& owners = p.plan.assigned.owners;
    std::string places;
    std::int64_t nodes = 0, away = 0;
    std::size_t first = 0;
    const std::vector<char> failed = setup.failed.which();
    while (first + 1 < handles.size() && failed[first]) ++first;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const auto count = std::ranges::count(owners, int(i));
        nodes += count;
        if (i <= first || count == 0) continue;
        away += count;
        places += (places.empty() ? "" : ", ") + std::to_string(count) + " on " + handles[i].name +
                  (implicit_cpu && i + 1 == handles.size() ? ", which was appended" : "");
    }
    if (away > 0)
        note_log(setup.options, severity::warning,
                 std::to_string(away) + " of " + std::to_string(nodes) + " nodes left " + handles[first].name + ": " +
                     places + "; plan() shows why");
}
}  // namespace v1
}  // namespace inlay
