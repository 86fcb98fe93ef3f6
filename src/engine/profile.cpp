// Timed runs, and the work of each step.
#include "run_failures.hpp"
#include "runner.hpp"

namespace inlay {
inline namespace v1 {
namespace {
template <class Rule> void describe_region(step_profile& r, const compiled_plan& p, int number, Rule rule_for) {
    const graph_view& g = p.graph.view;
    r.node = "region " + std::to_string(number);
    r.op = "(region)";
    r.kernel = "region";
    const auto shapes = [&](const range& ids) {
        std::vector<shape> dims;
        for (int id : g.list(ids)) dims.push_back(id < 0 ? shape::unknown() : g.values[std::size_t(id)].dims);
        return dims;
    };
    for (int i : p.plan.assigned.list(p.plan.assigned.regions[std::size_t(number)].nodes)) {
        const node& n = g.nodes[std::size_t(i)];
        r.sources.emplace_back(n.name);
        r.flop += flop_of(rule_for(n), {g, n}, shapes(n.inputs), shapes(n.outputs));
    }
}
// The node that the step runs, and which of the model's nodes it represents.
void describe_unit(step_profile& r, const graph_view& g, int unit) {
    const node& n = g.unit(unit);
    r.node = n.name;
    r.op = n.op;
    r.domain = n.domain;
    r.version = n.version;
    if (unit < int(g.nodes.size()))
        r.sources = {r.node};
    else
        for (int i : g.list(n.sources)) r.sources.emplace_back(g.nodes[std::size_t(i)].name);
}
}  // namespace

// After a run, so that data-dependent shapes are known.
step_profile runner::describe_step(const run_context& c, const exec_step& e) const {
    const compiled_plan& p = *c.plan;
    const graph_view& g = p.graph.view;
    const step& s = p.plan.steps[std::size_t(e.step)];
    const bool is_node = s.unit >= 0 && s.unit < g.units(), is_region = s.unit >= g.units();
    const entry* rule = is_node ? graph_.rule_for(g.unit(s.unit)) : nullptr;
    const reading reads = rule ? rule->about->facts.reads : reading::whole;
    step_profile r;
    std::vector<shape> in, out;
    std::vector<int> counted;  // a value that is read twice is read once
    const auto list = [&](const range& arguments, std::vector<shape>& shapes,
                          std::vector<step_profile::argument>& entries) {
        std::int64_t bytes = 0;
        for (std::size_t at = std::size_t(arguments.first); at < std::size_t(arguments.first + arguments.count); ++at) {
            const int id = p.plan.arguments[at];
            shapes.push_back(shape::unknown());
            if (id < 0) continue;
            const value& v = p.record(id);
            shapes.back() = v.dims.known() || !c.live ? v.dims : c.live->values[std::size_t(p.source(id))].dims;
            if (const tensor* t = c.values[std::size_t(p.source(id))].as_tensor(); t && *t) shapes.back() = t->shape();
            entries.push_back({std::string(v.name), v.type, shapes.back(), v.is_constant()});
            if (!shapes.back().known() || std::ranges::find(counted, id) != counted.end()) continue;
            counted.push_back(id);
            if (reads == reading::shape_only && at == std::size_t(s.inputs.first)) continue;
            bytes += bytes_of(v.type, shapes.back().elements());
        }
        return bytes;
    };
    const std::int64_t read_bytes = list(s.inputs, in, r.inputs), written = list(s.outputs, out, r.outputs);
    r.bytes = read_bytes + written;
    if (s.provider >= 0) r.provider = std::string(setup_.handles[std::size_t(s.provider)].name);
    if (is_node) {
        describe_unit(r, g, s.unit);
        r.flop = flop_of(rule, {g, g.unit(s.unit)}, in, out);
        if (s.provider < 0)
            r.provider = "(control flow)";
        else
            r.kernel = s.kernel == chosen_at_run
                           ? "chosen at run"
                           : std::string(setup_.kernels_at(s.provider).entries[std::size_t(s.kernel)].device_name);
        if (reads == reading::selected && !r.inputs.empty() && !r.outputs.empty() && in[0].known())
            r.bytes -= std::max<std::int64_t>(0, bytes_of(r.inputs[0].type, in[0].elements()) - written);
        const bool is_view = e.what == exec_step::kind::kernel &&
                             setup_.kernels_at(s.provider).entries[std::size_t(s.kernel)].shares == reuse::view;
        if (is_view && c.pointers[e.in] == c.pointers[e.out]) r.bytes = 0;
    } else if (is_region) {
        describe_region(r, p, s.unit - g.units(), [&](const node& n) { return graph_.rule_for(n); });
    } else {
        r.node = p.record(p.plan.arguments[e.in]).name;
        r.op = s.unit == step_kind::transfer ? "(transfer)" : "(conversion)";
    }
    return r;
}

status runner::execute_timed(run_context& c, const run_options& o, timed_steps& times) const {
    const compiled_plan& p = *c.plan;
    std::vector<moment> marks(2 * p.steps.size());
    std::vector<std::size_t> at;
    for (const exec_step& e : p.steps) {
        const int unit = p.plan.steps[std::size_t(e.step)].unit;
        const auto [it, isnew] = times.places.emplace(
            std::tuple(&graph_.data, unit, unit >= 0 ? -1 : p.source(p.plan.arguments[e.in])), times.entries.size());
        if (isnew) times.entries.emplace_back();
        at.push_back(it->second);
    }
    c.timed.clear();
    for (std::size_t k : at) c.timed.push_back(&times.entries[k].inside);
    const status s = execute_timed(c, o, marks.data());
    if (s != status::ok) return s;
    for (std::size_t k = 0; k < at.size(); ++k) {
        step_profile& profile = times.entries[at[k]].profile;
        if (profile.runs.empty()) profile = describe_step(c, p.steps[k]);
        profile.runs.push_back({std::chrono::duration<double>(marks[2 * k].time_since_epoch()).count(),
                                std::chrono::duration<double>(marks[2 * k + 1] - marks[2 * k]).count()});
    }
    return s;
}
std::vector<step_profile> timed_steps::since(moment begin) const {
    std::vector<step_profile> list;
    for (const entry& e : entries) {
        if (e.profile.runs.empty()) continue;  // of a run that failed
        step_profile& profile = list.emplace_back(e.profile);
        for (time_span& t : profile.runs) t.start -= std::chrono::duration<double>(begin.time_since_epoch()).count();
        profile.body = e.inside.since(begin);
    }
    return list;
}

run_profile runner::profile(run_context& c, int runs, const run_options& o) const {
    if (runs < 1)
        raise({error_code::invalid_argument, "inlay: a profile needs at least one run, not " + std::to_string(runs)});
    const std::size_t steps = c.plan->steps.size(), marks_of_run = 2 * steps + 2;
    std::vector<moment> marks(std::size_t(runs) * marks_of_run);
    std::vector<timed_steps> bodies(steps);
    c.timed.clear();
    for (timed_steps& b : bodies) c.timed.push_back(&b);
    for (std::size_t r = 0; r < std::size_t(runs); ++r) {
        moment* const at = marks.data() + r * marks_of_run;
        c.clear_failure();
        at[0] = std::chrono::steady_clock::now();
        const status s = execute_timed(c, o, at + 1);
        at[marks_of_run - 1] = std::chrono::steady_clock::now();
        if (s == status::failed || s == status::device_lost)
            setup_.failed.replace(failed_provider(c, setup_.handles), std::string(c.failure));
        if (s != status::ok) raise_status(c, s, setup_.handles);
    }
    const auto between = [&](moment from, moment to) {
        return time_span{std::chrono::duration<double>(from - marks[0]).count(),
                         std::chrono::duration<double>(to - from).count()};
    };
    run_profile result{
        std::string(graph_.view.name), std::string(isa::name_of(setup_.level)), setup_.executor.threads, {}, {}};
    for (std::size_t k = 0; k < steps; ++k) {
        result.steps.push_back(describe_step(c, c.plan->steps[k]));
        result.steps.back().body = bodies[k].since(marks[0]);
    }
    for (std::size_t r = 0; r < std::size_t(runs); ++r) {
        const moment* const at = marks.data() + r * marks_of_run;
        result.runs.push_back(between(at[0], at[marks_of_run - 1]));
        for (std::size_t k = 0; k < steps; ++k) result.steps[k].runs.push_back(between(at[2 * k + 1], at[2 * k + 2]));
    }
    return result;
}
}  // namespace v1
}  // namespace inlay
