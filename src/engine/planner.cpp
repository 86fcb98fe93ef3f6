#include "planner.hpp"
#include "refusals.hpp"
#include "run_context.hpp"
#include "stage_progress.hpp"

namespace inlay {
inline namespace v1 {
// The answers of each provider for a few plans, and for the declared graph.
planner::planner(const session_setup& s, const session_graph& g)
    : setup_(s), graph_(g), proposals_(s.handles.size() * std::size_t(std::max(1, s.options.plans) + 1)) {}
erased_providers planner::list(const constant_source& constants) const {
    erased_providers list = setup_.list(&constants, graph_.restored.get());
    list.set_kept(&proposals_);
    return list;
}
const progress_function& planner::progress() const {
    static const progress_function no_progress;
    return graph_.is_part ? no_progress : setup_.options.progress;
}

// Memory of a context of the plan, without values of data-dependent size.
static void check_bytes(compiled_plan& p, std::int64_t most) {
    p.run_bytes = checked_sum(p.plan.arena_bytes[0], p.plan.scratch_bytes);
    for (int id : p.own_values)
        if (const value& v = p.graph.values[std::size_t(id)]; v.type != element::object && v.dims.known())
            p.run_bytes = checked_sum(p.run_bytes, bytes_of(v.type, v.dims.elements()));
    if (p.run_bytes > most) raise_run_bytes(p.run_bytes, most);
}

// The values that a run with a cache of so many rows grows.
static std::vector<growth> growths_of(const std::vector<kept_pair>& pairs, std::int64_t room) {
    std::vector<growth> growths;
    for (const kept_pair& k : pairs) {
        if (!room || k.kind == kept_pair::form::state) continue;
        growths.push_back(k);
        growths.back().room = k.kind == kept_pair::form::rows ? room : 0;
    }
    return growths;
}
std::shared_ptr<compiled_plan> planner::plan(std::span<const shape> inputs, std::int64_t room,
                                             const std::shared_ptr<const placement>& placed) const {
    stage_progress planning(progress(), stage::plan, 2);
    auto p = std::make_shared<compiled_plan>(
        specialise(graph_.data, graph_.view, inputs, [this](const node& n) { return graph_.rule_for(n); }));
    p->failures = setup_.failed.count();
    p->room = room;
    p->growths = growths_of(graph_.kept_pairs, room);
    p->graph.view.growths = p->growths;
    planning(1);
    std::vector<tensor> sources;  // by the engines that are queried
    const constants_of constants(p->graph.view,
                                 [&](int k) { return sources.emplace_back(p->constant(k).get()).data(); });
    erased_providers list = this->list(constants);
    list.place(placed.get());
    p->placed = placed;
    p->key.assign(inputs.begin(), inputs.end());
    p->plan = make_plan(p->graph.view, list, setup_.executor.threads);
    p->engine_answers = list.answers();
    const assignment& a = p->plan.assigned;
    if (std::ranges::count(a.owners, owner::nobody) ||
        !order_units(p->graph.view, a.unit_of, p->graph.view.units() + int(a.regions.size())).acyclic)
        raise_unowned(p->graph.view, a, setup_.handles);
    planning(2);
    for (int i = 0; i < list.spaces(); ++i) p->spaces.push_back(&list.space_at(i));
    place_arguments(*p);
    check_bytes(*p, setup_.run_bytes);
    if (setup_.backends.plan_only) p->packed_bytes = -1;
    return p;
}

planner::declared planner::assign_declared() const {
    std::vector<tensor> sources;
    const constants_of constants(
        graph_.view, [&](int k) { return sources.emplace_back(graph_.data.constants[std::size_t(k)].get()).data(); });
    const erased_providers list = this->list(constants);
    return {partition(graph_.view, list), list.answers()};
}
void planner::check_coverage() const {
    const declared d = assign_declared();
    for (int o : d.assigned.owners)
        if (o == owner::nobody) raise_unowned(graph_.view, d.assigned, setup_.handles);
}
}  // namespace v1
}  // namespace inlay
