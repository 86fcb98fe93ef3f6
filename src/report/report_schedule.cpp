// The values and steps of a plan, as reports have them.
#include "engine/compiled_plan.hpp"
#include "report/report_schedule.hpp"

namespace inlay {
inline namespace v1 {
namespace {
class schedule_writer {
    const graph_view& g_;
    const compiled_plan* p_;
    plan_report& r_;
    std::vector<int> place_;               // of values and copies in the report, -1 where no step had it yet
    std::vector<std::vector<int>> nodes_;  // of units
  public:
    schedule_writer(const graph_view& g, const compiled_plan* p, const assignment& a, plan_report& r)
        : g_(g),
          p_(p),
          r_(r),
          place_(g.values.size() + (p ? p->plan.copies.size() : 0), -1),
          nodes_(std::size_t(g.units()) + a.regions.size()) {
        for (std::size_t i = 0; i < g.nodes.size(); ++i)
            if (a.unit_of[i] >= 0) nodes_[std::size_t(a.unit_of[i])].push_back(int(i));
    }
    int place(int id) {
        int& at = place_[std::size_t(id)];
        if (at >= 0) return at;
        const value& v = p_ ? p_->record(id) : g_.values[std::size_t(id)];
        plan_report::value entry{std::string(v.name),
                                 v.type,
                                 v.dims,
                                 -1,
                                 v.is_constant(),
                                 "plain",
                                 std::string(space_of<memory::host>.name)};
        if (v.dims.known() && v.type != element::object && v.type != element::string)
            entry.bytes = bytes_of(v.type, v.dims.elements());
        if (p_ && !v.is_constant()) {
            entry.layout = layout_name(p_->plan.value_layouts[std::size_t(id)]);
            entry.space = p_->spaces[std::size_t(p_->plan.value_spaces[std::size_t(id)])]->name;
        }
        r_.values.push_back(std::move(entry));
        return at = int(r_.values.size()) - 1;
    }
    void add(int unit, std::span<const int> inputs, std::span<const int> outputs) {
        plan_report::step s;
        if (unit < 0) {
            s.kind = unit == step_kind::transfer ? "transfer" : "conversion";
            s.name = p_->record(inputs[0]).name;
        } else if (unit >= g_.units()) {
            s.kind = "region";
            s.name = "region " + std::to_string(unit - g_.units());
        } else {
            s.kind = unit < int(g_.nodes.size()) ? "node" : "fused";
            s.name = g_.unit(unit).name;
            s.op = g_.unit(unit).op;
        }
        if (unit >= 0) s.nodes = nodes_[std::size_t(unit)];
        if (!s.nodes.empty()) s.provider = r_.nodes[std::size_t(s.nodes[0])].provider;
        for (int id : inputs)
            if (id >= 0) s.inputs.push_back(place(id));
        for (int id : outputs)
            if (id >= 0) s.outputs.push_back(place(id));
        r_.schedule.push_back(std::move(s));
    }
};
}  // namespace

void report_schedule(const graph_view& g, const compiled_plan* p, const assignment& a, plan_report& r) {
    schedule_writer w(g, p, a, r);
    if (p)
        for (std::size_t k = 0; k < p->plan.steps.size(); ++k) {
            const step& s = p->plan.steps[k];
            w.add(s.unit, p->plan.list(s.inputs), p->plan.list(s.outputs));
            if (!p->costs) continue;
            r.schedule.back().predicted = p->costs->steps_predicted[k];
            r.schedule.back().measured = p->costs->steps_measured[k];
        }
    else
        for (int u : order_units(g, a.unit_of, g.units() + int(a.regions.size())).units) {
            if (u >= g.units()) {
                const assigned_region& region = a.regions[std::size_t(u - g.units())];
                w.add(u, a.list(region.inputs), a.list(region.outputs));
            } else
                w.add(u, g.list(g.unit(u).inputs), g.list(g.unit(u).outputs));
        }
    const std::span<const int> outputs = p ? std::span<const int>(p->plan.outputs) : g.outputs;
    for (int id : outputs) r.outputs.push_back(w.place(id));
}
}  // namespace v1
}  // namespace inlay
