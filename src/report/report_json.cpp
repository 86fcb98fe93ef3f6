// Plans and memory as JSON.
#include "report/json_writer.hpp"
#include <inlay/report_json.hpp>

namespace inlay {
inline namespace v1 {
namespace {
void write(json_writer& out, const std::vector<std::pair<std::string, shape>>& inputs) {
    out.key("inputs").open('[');
    for (const auto& [name, dims] : inputs) out.open('{').field("name", name).field("shape", dims).close('}');
    out.close(']');
}
void write(json_writer& out, std::string_view name, const std::vector<plan_report::line>& lines) {
    out.key(name).open('[');
    for (const plan_report::line& l : lines) {
        out.open('{').field("name", l.node).field("op", l.op).field("domain", l.domain).field("version", l.version);
        out.field("provider", l.provider).field("kernel", l.kernel).field("precision", l.precision);
        out.field("fused_into", l.fused_into).key("answers").open('[');
        for (const plan_report::answer& a : l.answers)
            out.open('{').field("provider", a.provider).field("text", a.text).close('}');
        out.close(']');
        if (!l.body.empty()) write(out, "body", l.body);
        out.close('}');
    }
    out.close(']');
}
void write(json_writer& out, std::string_view name, const std::vector<plan_report::copy>& copies) {
    out.key(name).open('[');
    for (const plan_report::copy& c : copies)
        out.open('{')
            .field("value", c.value)
            .field("from", c.from)
            .field("to", c.to)
            .field("bytes", c.bytes)
            .close('}');
    out.close(']');
}
void write(json_writer& out, const plan_report::value& v) {
    out.open('{').field("name", v.name).field("type", name_of(v.type));
    if (v.dims.rank < 0)
        out.field("shape", nullptr);
    else
        out.field("shape", v.dims);
    out.field("bytes", v.bytes).field("constant", v.constant).field("layout", v.layout).field("space", v.space);
    out.close('}');
}
void write(json_writer& out, const plan_report::step& s) {
    out.open('{').field("kind", s.kind).field("name", s.name).field("op", s.op).field("provider", s.provider);
    out.field("nodes", s.nodes).field("inputs", s.inputs).field("outputs", s.outputs);
    if (s.predicted >= 0) out.field("predicted_seconds", s.predicted);
    if (s.measured >= 0) out.field("measured_seconds", s.measured);
    out.close('}');
}
void write(json_writer& out, const plan_report::certificate& c) {
    out.key("determinism").open('{').field("policy", c.portable ? "portable" : "machine");
    out.key("exceptions").open('[');
    for (const plan_report::certificate::exception& e : c.exceptions)
        out.open('{')
            .field("name", e.node)
            .field("op", e.op)
            .field("reason", e.reason)
            .field("runs", e.runs)
            .field("batch", e.batch)
            .field("processors", e.processors)
            .close('}');
    out.close(']').close('}');
}
void write_bytes_and_costs(json_writer& out, const plan_report& r) {
    out.key("bytes").open('{').field("arena", r.arena_bytes).field("live", r.live_bytes);
    out.field("scratch", r.scratch_bytes).field("packed", r.packed_bytes).field("constants", r.constant_bytes);
    out.close('}');
    if (!r.costs) return;
    out.key("costs").open('{').field("greedy_seconds", r.costs->greedy).field("chosen_seconds", r.costs->measured);
    out.field("predicted_seconds", r.costs->predicted).field("lower_bound_seconds", r.costs->lower_bound);
    out.field("plans_tried", r.costs->tried).close('}');
}
}  // namespace

std::string json_of(const plan_report& r) {
    json_writer out;
    out.open('{').field("schema", "inlay.plan").field("version", 1).field("model", r.model);
    write(out, r.inputs);
    out.key("providers").open('[');
    for (std::size_t k = 0; k < r.providers.size(); ++k)
        out.open('{')
            .field("name", r.providers[k])
            .field("nodes", r.count(r.providers[k]))
            .field("implicit", r.implicit_cpu && k + 1 == r.providers.size())
            .close('}');
    out.close(']').field("instruction_set", r.level).field("threads", r.threads).field("precision", r.precision);
    write(out, r.determinism);
    write(out, "nodes", r.nodes);
    write(out, "conversions", r.conversions);
    write(out, "transfers", r.transfers);
    out.key("values").open('[');
    for (const plan_report::value& v : r.values) write(out, v);
    out.close(']').key("schedule").open('[');
    for (const plan_report::step& s : r.schedule) write(out, s);
    out.close(']').field("outputs", r.outputs).field("steps", r.steps).field("aliased", r.aliased);
    out.field("sliced", r.sliced);
    write_bytes_and_costs(out, r);
    return out.field("notes", r.notes).close('}').text();
}

static void write(json_writer& out, const memory_report::space& s) {
    out.open('{').field("name", s.name).field("arena_bytes", s.arena_bytes).field("live_bytes", s.live_bytes);
    out.field("fragmentation", s.fragmentation()).field("live", s.live).key("values").open('[');
    for (const memory_report::lifetime& l : s.values) {
        out.open('{').field("value", l.value).field("type", name_of(l.type)).field("shape", l.dims);
        out.field("layout", l.layout).field("offset", l.offset).field("bytes", l.bytes).field("first", l.first_step);
        out.field("last", l.last_step).field("root", l.root).field("input", l.input).field("output", l.output);
        out.close('}');
    }
    out.close(']').close('}');
}
std::string json_of(const memory_report& r) {
    json_writer out;
    out.open('{').field("schema", "inlay.memory").field("version", 1).field("model", r.model);
    write(out, r.inputs);
    out.key("steps").open('[');
    for (const memory_report::step& s : r.steps)
        out.open('{').field("name", s.name).field("op", s.op).field("provider", s.provider).close('}');
    out.close(']').key("spaces").open('[');
    for (const memory_report::space& s : r.spaces) write(out, s);
    out.close(']').field("aliased", r.aliased).field("unplanned", r.unplanned);
    out.key("bytes").open('{').field("arena", r.arena_bytes()).field("scratch", r.scratch_bytes);
    out.field("packed", r.packed_bytes).field("constants", r.constant_bytes).field("held", r.held_bytes).close('}');
    return out.close('}').text();
}
}  // namespace v1
}  // namespace inlay
