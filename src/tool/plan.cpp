// inlay plan: which node runs where, and why not elsewhere.
#include "common.hpp"
#include <iostream>

namespace inlay::tool {
namespace {
struct arguments {
    std::string model;
    std::vector<std::string> shapes;
    session_arguments session;
    bool as_json = false;
};

json to_json(const std::vector<plan_report::line>& lines) {
    json all = json::array();
    for (const plan_report::line& l : lines) {
        json one{{"name", l.node}, {"op", l.op}, {"domain", l.domain}, {"version", l.version}, {"provider", l.provider}, {"kernel", l.kernel}, {"fused_into", l.fused_into}};
        one["answers"] = json::array();
        for (const plan_report::answer& a : l.answers) one["answers"].push_back({{"provider", a.provider}, {"text", a.text}});
        if (!l.body.empty()) one["body"] = to_json(l.body);
        all.push_back(std::move(one));
    }
    return all;
}
json to_json(const std::vector<plan_report::copy>& copies) {
    json all = json::array();
    for (const plan_report::copy& c : copies) all.push_back({{"value", c.value}, {"from", c.from}, {"to", c.to}, {"bytes", c.bytes}});
    return all;
}
json to_json(const plan_report& r) {
    json j{{"schema", "inlay.plan"}, {"version", 1}, {"model", r.model}};
    j["inputs"] = json::array();
    for (const auto& [name, dims] : r.inputs) j["inputs"].push_back({{"name", name}, {"shape", std::vector<std::int64_t>(dims.begin(), dims.end())}});
    j["providers"] = json::array();
    for (std::size_t k = 0; k < r.providers.size(); ++k)
        j["providers"].push_back({{"name", r.providers[k]}, {"nodes", r.count(r.providers[k])}, {"implicit", r.implicit_cpu && k + 1 == r.providers.size()}});
    j["instruction_set"] = r.level;
    j["threads"] = r.threads;
    j["nodes"] = to_json(r.nodes);
    j["conversions"] = to_json(r.conversions);
    j["transfers"] = to_json(r.transfers);
    j["steps"] = r.steps;
    j["aliased"] = r.aliased;
    j["sliced"] = r.sliced;
    j["bytes"] = {{"arena", r.arena_bytes}, {"live", r.live_bytes}, {"scratch", r.scratch_bytes}, {"packed", r.packed_bytes}, {"constants", r.constant_bytes}};
    j["notes"] = r.notes;
    return j;
}

int plan(const arguments& a) {
    const model m = or_exit(exit_status::load_failed, [&] { return model(a.model); });
    const named_shapes given = shapes_from(a.shapes, m);
    const plan_report report = or_exit(exit_status::load_failed, [&] {
        const any_session session = make_session(m, a.session);
        if (given.empty()) return session.plan();
        const std::vector<shape> shapes = complete_shapes(m, given);
        std::vector<std::pair<std::string_view, shape>> all;
        for (std::size_t k = 0; k < shapes.size(); ++k) all.emplace_back(m.inputs()[k].name, shapes[k]);
        return session.plan(all);
    });
    if (a.as_json) print(to_json(report)); else std::cout << report;
    return exit_status::done;
}
}  // namespace

void add_plan(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand("plan", "Show which node runs on which provider, why not on another, and the memory that this takes");
    command->add_option("MODEL", a->model, "The .onnx file")->required();
    command->add_option("--shape", a->shapes, "The shape of an input with symbolic dimensions, which are 1 otherwise")->type_name("NAME=1,3,224,224")->allow_extra_args(false);
    command->add_flag("--json", a->as_json, "As JSON");
    add_session_arguments(*command, a->session);
    choose(command, chosen, plan, a);
}
}  // namespace inlay::tool
