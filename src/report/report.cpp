// The plan, explained.
#include "engine/provider_notes.hpp"
#include "engine/refusals.hpp"
#include "engine/session_core.hpp"
#include "engine/session_report.hpp"
#include "report/determinism.hpp"
#include "report/report_schedule.hpp"
#include "support/text.hpp"
#include <ostream>

namespace inlay {
inline namespace v1 {
// The reduced precision that kernels may compute with, for kernels that can use less than their types' precision:
// by an option of their provider, else by the session.
static std::string reduced_precision(const provider_handle& h, precision of_session) {
    if (h.operands) {
        const element multiplied = h.operands(h.object.get());
        return multiplied == element::f32 ? std::string() : std::string(name_of(multiplied));
    }
    const bool exact = h.own_precision || of_session == precision::standard || of_session == precision::strict;
    return exact ? std::string() : std::string(name_of(of_session));
}
std::vector<std::string> precision_notes(const session_setup& s) {
    std::vector<std::string> notes;
    for (const provider_handle& h : s.handles) {
        if (h.own_precision && !h.operands)
            notes.push_back(h.name +
                            " has a `precision` of a type of its own and no operands(element), so that the "
                            "session cannot tell what it computes with");
        if (h.precision && *h.precision != s.precision)
            notes.push_back("the precision `" + std::string(name_of(*h.precision)) + "` of " + h.name +
                            " is not used: a session has one, here `" + std::string(name_of(s.precision)) +
                            "` of a provider before it");
    }
    return notes;
}
namespace {
std::string unit_name(const graph_view& g, int unit) {
    if (unit >= g.units()) return "region " + std::to_string(unit - g.units());
    return std::string(g.unit(unit).op) + " " + std::string(g.unit(unit).name);
}
// The provider that runs node i, and the answers of all that were queried.
plan_report::line line_of(int i, const graph_view& g, const assignment& a, std::span<const provider_handle> handles,
                          precision session_precision) {
    const node& n = g.nodes[std::size_t(i)];
    plan_report::line l;
    l.node = n.name;
    l.op = n.op;
    l.domain = n.domain;
    l.version = n.version;
    const int o = a.owners[std::size_t(i)], u = a.unit_of[std::size_t(i)];
    l.provider = o >= 0                     ? std::string(handles[std::size_t(o)].name)
                 : o == owner::folded       ? "(folded)"
                 : o == owner::control_flow ? "(control flow)"
                                            : "";
    if (u >= 0 && u != i) l.fused_into = unit_name(g, u);
    if (o >= 0) {
        const int kernel = u < int(a.kernels.size()) && u < g.units() ? a.kernels[std::size_t(u)] : -1;
        l.kernel = u >= g.units() ? "region" : kernel == chosen_at_run ? "chosen at run" : "";
        if (kernel >= 0) {
            const entry& e = handles[std::size_t(o)].kernels->entries[std::size_t(kernel)];
            l.kernel = e.device_name;
            if (e.reduced && e.reduced(node_view{g, g.unit(u)}))
                l.precision = reduced_precision(handles[std::size_t(o)], session_precision);
        }
    }
    for (std::size_t q = 0; q < handles.size(); ++q) {
        const verdict& v = a.verdicts[std::size_t(i) * handles.size() + q];
        if (!v.reason.empty()) l.answers.push_back({std::string(handles[q].name), refusal_text(v, g, n, handles[q])});
    }
    return l;
}
// Between memory spaces, and between layouts.
void add_copies(plan_report& r, const compiled_plan& p) {
    for (std::size_t k = 0; k < p.plan.copies.size(); ++k) {
        const copied_value& c = p.plan.copies[k];
        const value& v = p.record(c.source);
        const int before = p.plan.value_spaces[std::size_t(c.source)];
        plan_report::copy line{std::string(v.name), "", "", v.dims.known() ? bytes_of(v.type, v.dims.elements()) : -1};
        if (before != c.space) {
            line.from = p.spaces[std::size_t(before)]->name;
            line.to = p.spaces[std::size_t(c.space)]->name;
            r.transfers.push_back(line);
        } else {
            line.from = layout_name(p.plan.value_layouts[std::size_t(c.source)]);
            line.to = layout_name(c.to);
            r.conversions.push_back(line);
        }
    }
}
// Of constants that exist: those that are created on demand only where the plan's steps read them.
std::int64_t constant_bytes(const graph_data& g, const compiled_plan* p) {
    std::int64_t bytes = 0;
    for (const graph_constant& c : g.constants)
        if (!c.is_made_on_demand()) bytes += c.bytes();
    if (p)
        for (const auto& [constant, t] : p->own_constants) bytes += t.bytes();
    return bytes;
}
}  // namespace

// Its line, with those of its bodies, and its violations of the certificate.
static void report_node(session_core& core, int i, const graph_view& g, const assignment& a, plan_report& r) {
    const std::vector<provider_handle>& handles = core.setup.handles;
    const node& n = g.nodes[std::size_t(i)];
    const int runner = a.owners[std::size_t(i)], unit = a.unit_of[std::size_t(i)];
    auto& exceptions = r.determinism.exceptions;
    plan_report::line l = line_of(i, g, a, handles, core.setup.precision);
    if (runner == owner::control_flow)
        for (const attribute& at :
             g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
            if (at.kind == attribute_kind::graph) {
                const auto body = report_of(core.bodies.at(i, int(at.integer)), nullptr);
                l.body.insert(l.body.end(), body.nodes.begin(), body.nodes.end());
                exceptions.insert(exceptions.end(), body.determinism.exceptions.begin(),
                                  body.determinism.exceptions.end());
            }
    if (runner >= 0) {
        const node& computed = unit >= 0 && unit < g.units() ? g.unit(unit) : n;
        auto broken = exception_of(node_view{g, n}, computed, l, handles[std::size_t(runner)].kernels);
        if (broken) exceptions.push_back(std::move(*broken));
    }
    r.nodes.push_back(std::move(l));
}
// Facts of the session, whatever its plans are.
static plan_report report_session(const session_core& core) {
    const session_setup& s = core.setup;
    plan_report r;
    r.model = std::string(core.graph.view.name);
    for (const provider_handle& h : s.handles) {
        r.providers.emplace_back(h.name);
        for (std::string& note : provider_notes(h)) r.notes.push_back(std::move(note));
    }
    const std::vector<std::string> failures = s.failed.notes();
    for (std::string& note : precision_notes(s)) r.notes.push_back(std::move(note));
    r.notes.insert(r.notes.end(), core.notes.begin(), core.notes.end());
    r.notes.insert(r.notes.end(), failures.begin(), failures.end());
    if (const auto& obstacle = s.backends.plan_only)
        r.notes.push_back("this is a plan only, no weights are packed and nothing can be run: " + obstacle->provider +
                          ": " + obstacle->reason);
    r.implicit_cpu = core.implicit_cpu;
    r.level = isa::name_of(s.level);
    r.precision = name_of(s.precision);
    for (const provider_handle& h : s.handles)
        if (const std::string reduced = reduced_precision(h, s.precision);
            !reduced.empty() && s.precision == precision::standard)
            r.precision = reduced;
    r.threads = s.executor.threads;
    r.determinism.portable = s.options.determinism == determinism::portable;
    return r;
}
plan_report report_of(session_core& core, const compiled_plan* p) {
    plan_report r = report_session(core);
    r.constant_bytes = constant_bytes(core.graph.data, p);
    const graph_view& g = p ? p->graph.view : core.graph.view;
    const planner::declared early = p ? planner::declared{} : core.planner.assign_declared();
    const assignment& a = p ? p->plan.assigned : early.assigned;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) report_node(core, int(i), g, a, r);
    report_schedule(g, p, a, r);
    if (!p) return r;
    for (std::size_t k = 0; k < p->key.size(); ++k)
        r.inputs.emplace_back(std::string(g.values[std::size_t(g.inputs[k])].name), p->key[k]);
    add_copies(r, *p);
    if (p->costs) r.costs = plan_report::cost(*p->costs);
    r.steps = int(p->plan.steps.size());
    r.aliased = p->plan.aliased;
    r.sliced = p->plan.sliced;
    r.arena_bytes = p->plan.arena_total();
    r.live_bytes = p->plan.live_bytes;
    r.scratch_bytes = p->plan.scratch_bytes;
    r.packed_bytes = p->packed_bytes;
    return r;
}

int plan_report::count(std::string_view provider) const {
    return int(std::ranges::count(nodes, provider, &line::provider));
}

namespace {
std::string counted(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }
std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}
void add_lines(std::string& text, const std::vector<plan_report::line>& nodes, std::size_t indent) {
    std::size_t width = 4;
    for (const auto& l : nodes) width = std::max(width, std::min<std::size_t>(40, printable(l.node).size()));
    for (const auto& l : nodes) {
        text += std::string(indent, ' ') + padded(printable(l.node), width) + "  " +
                padded(printable(l.op) + "-" + std::to_string(l.version), 22) + "  " +
                (l.provider.empty() ? "NOBODY" : printable(l.provider));
        if (!l.kernel.empty())
            text += " [" + printable(l.kernel) + (l.precision.empty() ? "" : ", ") + l.precision + "]";
        if (!l.fused_into.empty()) text += " in " + printable(l.fused_into);
        for (const auto& a : l.answers) text += "; " + printable(a.provider) + ": " + printable(a.text);
        text += '\n';
        add_lines(text, l.body, indent + 4);
    }
}
std::string heading(const plan_report& r) {
    std::string text = "plan of " + (r.model.empty() ? "the model" : printable(r.model)) + " for";
    for (const auto& [name, dims] : r.inputs) text += ' ' + printable(name) + to_string(dims);
    text += "\nproviders:";
    for (std::size_t k = 0; k < r.providers.size(); ++k)
        text += (k ? ", " : " ") + printable(r.providers[k]) + " (" + std::to_string(r.count(r.providers[k])) +
                " nodes" + (r.implicit_cpu && k + 1 == r.providers.size() ? ", implicit CPU" : "") + ")";
    text += "; folded before the run: " + std::to_string(r.count("(folded)")) + "; instruction set " + r.level + ", " +
            counted(std::size_t(r.threads), "thread");
    const auto reduced = std::ranges::count_if(r.nodes, [](const auto& l) { return !l.precision.empty(); });
    if (r.precision != name_of(precision::standard))
        text += "; precision " + r.precision + ", with less than float in " + counted(std::size_t(reduced), "node");
    return text + '\n';
}
std::string text_of(const plan_report::cost& c) {
    const auto microseconds = [](double seconds) { return decimal_text(seconds * 1e6, 1) + " us"; };
    return "by cost, of " + std::to_string(c.tried) + " plans: greedy " + microseconds(c.greedy) + ", chosen " +
           microseconds(c.measured) + " (predicted " + microseconds(c.predicted) + "), lower bound " +
           microseconds(c.lower_bound) + '\n';
}
std::string text_of(const plan_report::copy& c) {
    return printable(c.value) + ": " + printable(c.from) + " to " + printable(c.to) + ", " + size_text(c.bytes) + '\n';
}
std::string sums_of(const plan_report& r) {
    return std::to_string(r.steps) + " steps, " + counted(r.conversions.size(), "layout conversion") + ", " +
           counted(r.transfers.size(), "transfer") + ", " + std::to_string(r.aliased) + " results in place, " +
           counted(std::size_t(r.sliced), "slice") + " of others; arena " + size_text(r.arena_bytes) +
           " (least possible " + size_text(r.live_bytes) + "), scratch " + size_text(r.scratch_bytes) +
           ", packed weights " + size_text(r.packed_bytes) + ", constants " + size_text(r.constant_bytes) + '\n';
}
}  // namespace

std::ostream& operator<<(std::ostream& out, const plan_report& r) {
    std::string text = heading(r);  // no number is written to the stream itself, which might format it by its locale
    text += text_of(r.determinism, r.level);
    if (r.costs) text += text_of(*r.costs);
    for (const std::string& n : r.notes) text += "note: " + printable(n) + '\n';
    add_lines(text, r.nodes, 2);
    for (const auto& c : r.conversions) text += "  layout of " + text_of(c);
    for (const auto& c : r.transfers) text += "  transfer of " + text_of(c);
    return out << text + sums_of(r);
}
}  // namespace v1
}  // namespace inlay
