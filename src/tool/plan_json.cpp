// A plan as JSON.
#include "plan.hpp"

namespace inlay::tool {
namespace {
json to_json(const std::vector<plan_report::line>& lines) {
    json all = json::array();
    for (const plan_report::line& l : lines) {
        json one{
            {"name", l.node},         {"op", l.op},         {"domain", l.domain},       {"version", l.version},
            {"provider", l.provider}, {"kernel", l.kernel}, {"precision", l.precision}, {"fused_into", l.fused_into}};
        one["answers"] = json::array();
        for (const plan_report::answer& a : l.answers)
            one["answers"].push_back({{"provider", a.provider}, {"text", a.text}});
        if (!l.body.empty()) one["body"] = to_json(l.body);
        all.push_back(std::move(one));
    }
    return all;
}
json to_json(const std::vector<plan_report::copy>& copies) {
    json all = json::array();
    for (const plan_report::copy& c : copies)
        all.push_back({{"value", c.value}, {"from", c.from}, {"to", c.to}, {"bytes", c.bytes}});
    return all;
}
json to_json(const plan_report::value& v) {
    return {{"name", v.name},
            {"type", name_of(v.type)},
            {"shape", v.dims.rank < 0 ? json() : json(std::vector<std::int64_t>(v.dims.begin(), v.dims.end()))},
            {"bytes", v.bytes},
            {"constant", v.constant},
            {"layout", v.layout},
            {"space", v.space}};
}
json to_json(const plan_report::step& s) {
    json j{{"kind", s.kind},   {"name", s.name},     {"op", s.op},          {"provider", s.provider},
           {"nodes", s.nodes}, {"inputs", s.inputs}, {"outputs", s.outputs}};
    if (s.predicted >= 0) j["predicted_seconds"] = s.predicted;
    if (s.measured >= 0) j["measured_seconds"] = s.measured;
    return j;
}
}  // namespace

json to_json(const plan_report& r) {
    json j{{"schema", "inlay.plan"}, {"version", 1}, {"model", r.model}};
    j["inputs"] = json::array();
    for (const auto& [name, dims] : r.inputs)
        j["inputs"].push_back({{"name", name}, {"shape", std::vector<std::int64_t>(dims.begin(), dims.end())}});
    j["providers"] = json::array();
    for (std::size_t k = 0; k < r.providers.size(); ++k)
        j["providers"].push_back({{"name", r.providers[k]},
                                  {"nodes", r.count(r.providers[k])},
                                  {"implicit", r.implicit_cpu && k + 1 == r.providers.size()}});
    j["instruction_set"] = r.level;
    j["threads"] = r.threads;
    j["precision"] = r.precision;
    j["nodes"] = to_json(r.nodes);
    j["conversions"] = to_json(r.conversions);
    j["transfers"] = to_json(r.transfers);
    j["values"] = json::array();
    for (const plan_report::value& v : r.values) j["values"].push_back(to_json(v));
    j["schedule"] = json::array();
    for (const plan_report::step& s : r.schedule) j["schedule"].push_back(to_json(s));
    j["outputs"] = r.outputs;
    j["steps"] = r.steps;
    j["aliased"] = r.aliased;
    j["sliced"] = r.sliced;
    j["bytes"] = {{"arena", r.arena_bytes},
                  {"live", r.live_bytes},
                  {"scratch", r.scratch_bytes},
                  {"packed", r.packed_bytes},
                  {"constants", r.constant_bytes}};
    if (r.costs)
        j["costs"] = {{"greedy_seconds", r.costs->greedy},
                      {"chosen_seconds", r.costs->chosen},
                      {"predicted_seconds", r.costs->predicted},
                      {"lower_bound_seconds", r.costs->lower_bound},
                      {"plans_tried", r.costs->tried}};
    j["notes"] = r.notes;
    return j;
}
}  // namespace inlay::tool
