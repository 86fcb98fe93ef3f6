// What a run computes and how much memory it needs, as far as that is known before one.
#include "engine/specialise.hpp"
#include "inspect.hpp"

namespace inlay::tool {
std::vector<free_dimension> free_dimensions(const model& m) {
    std::vector<free_dimension> list;
    for (const port& p : m.inputs())
        for (int i = 0; i < p.shape.rank; ++i)
            if (p.shape[i] < 0)
                list.push_back({p.name, std::size_t(i) < p.dim_names.size() ? p.dim_names[std::size_t(i)] : "", i});
    return list;
}

namespace {
const entry* rule_of(const node& n) { return find_entry(reference_kernels(), n); }
double flop_of(const model& m, std::span<const std::pair<std::string_view, shape>> inputs) {
    std::vector<shape> shapes;
    for (const auto& [name, dims] : inputs) shapes.push_back(dims);
    const specialised s = specialise(m.graph(), m.view(), shapes, rule_of);
    const graph_view& g = s.graph.view;
    double sum = 0;
    for (const node& n : g.nodes) {
        const auto dims = [&](const range& ids) {
            std::vector<shape> list;
            for (int id : g.list(ids)) list.push_back(id < 0 ? shape::unknown() : g.values[std::size_t(id)].dims);
            return list;
        };
        if (!all_constant(g.values, g.list(n.outputs)))
            sum += inlay::flop_of(rule_of(n), {g, n}, dims(n.inputs), dims(n.outputs));
    }
    return sum;
}
}  // namespace
demand demand_of(const model& m, const given_shapes& input_shapes, const session_arguments& a) {
    demand d;
    d.shapes = all_shapes(m, input_shapes);
    try {
        d.flop = flop_of(m, d.shapes);
    } catch (const error& e) {
        d.no_flop = e.text;
    }
    try {
        const any_session session = make_planning_session(m, a);
        const plan_report plan = session.plan(d.shapes);
        if (plan.packed_bytes < 0)
            d.no_plan = plan.notes.back();
        else
            d.memory = session.memory(d.shapes);
        for (const std::string& p : plan.providers) d.nodes[p] = plan.count(p);
    } catch (const error& e) {
        if (status_of(e.code, exit_status::load_failed) == exit_status::bad_input || !a.providers.empty())
            throw;  // what was requested must exist
        d.no_plan = e.text;
    }
    return d;
}
}  // namespace inlay::tool
