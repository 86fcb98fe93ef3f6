// inlay inspect: what a model file holds.
#include "common.hpp"
#include <set>

namespace inlay::tool {
namespace {
struct arguments {
    std::string model;
    session_arguments session;
    bool as_json = false;
};
struct census {  // of the graph and its subgraphs
    std::map<std::string, std::int64_t> operators;
    std::int64_t nodes = 0, parameters = 0, bytes = 0;
    std::set<const void*> seen;  // a constant that bodies capture is one constant
    void add(const graph_data& g) {
        for (const node& n : g.nodes) {
            ++nodes;
            ++operators[(n.domain.empty() ? "" : std::string(n.domain) + ".") + std::string(n.op)];
        }
        for (const tensor& t : g.constants) {
            if (!seen.insert(t.data()).second) continue;
            parameters += t.elements();
            bytes += t.bytes();
        }
        for (const graph_data& body : g.subgraphs) add(body);
    }
    std::vector<std::pair<std::string, std::int64_t>> by_count() const {
        std::vector<std::pair<std::string, std::int64_t>> all(operators.begin(), operators.end());
        std::ranges::stable_sort(all, std::greater{}, &std::pair<std::string, std::int64_t>::second);
        return all;
    }
};

json to_json(std::span<const port> ports) {
    json all = json::array();
    for (const port& p : ports) {
        json dims = nullptr;
        if (p.shape.rank >= 0) {
            dims = json::array();
            for (int i = 0; i < p.shape.rank; ++i) {
                if (p.shape[i] >= 0) dims.push_back(p.shape[i]);
                else if (std::size_t(i) < p.dim_names.size() && !p.dim_names[std::size_t(i)].empty()) dims.push_back(p.dim_names[std::size_t(i)]);
                else dims.push_back(nullptr);
            }
        }
        all.push_back({{"name", p.name}, {"kind", name_of(p.kind)}, {"type", p.type_text}, {"shape", dims}});
    }
    return all;
}
json to_json(const model& m, const census& c) {
    json j{{"schema", "inlay.inspect"}, {"version", 1}, {"graph", m.graph_name()}, {"ir_version", m.ir_version()}, {"producer", m.producer_name()},
           {"producer_version", m.producer_version()}, {"domain", m.domain()}, {"model_version", m.model_version()}, {"doc_string", m.doc_string()}};
    for (const opset& o : m.opsets()) j["opsets"].push_back({{"domain", o.domain}, {"version", o.version}});
    j["metadata"] = m.metadata();
    j["inputs"] = to_json(m.inputs());
    j["outputs"] = to_json(m.outputs());
    j["nodes"] = c.nodes;
    j["operators"] = json::object();
    for (const auto& [name, count] : c.by_count()) j["operators"][name] = count;
    j["parameters"] = c.parameters;
    j["parameter_bytes"] = c.bytes;
    j["passes"] = json::array();
    for (const pass_count& p : m.pass_log()) j["passes"].push_back({{"name", p.name}, {"rewrites", p.rewrites}});
    return j;
}

void print_ports(const char* title, std::span<const port> ports) {
    std::size_t name = 0, type = 0;
    for (const port& p : ports) { name = std::max(name, p.name.size()); type = std::max(type, p.type_text.size()); }
    fmt::print("{}:\n", title);
    for (const port& p : ports) fmt::print("  {:{}}  {:{}}  {}\n", printable(p.name), name, p.type_text, type, p.kind == value_kind::tensor ? shape_text(p) : "");
}
void print_text(const model& m, const census& c) {
    fmt::print("model:    {}, IR {}", printable(m.graph_name()), m.ir_version());
    for (const opset& o : m.opsets()) fmt::print(", opset {}{}", o.domain.empty() ? "" : printable(o.domain) + " ", o.version);
    fmt::print("\n");
    if (!m.producer_name().empty()) fmt::print("producer: {}{}{}\n", printable(m.producer_name()), m.producer_version().empty() ? "" : " ", printable(m.producer_version()));
    if (!m.doc_string().empty()) fmt::print("about:    {}\n", printable(m.doc_string()));
    for (const auto& [key, value] : m.metadata()) fmt::print("metadata: {} = {}\n", printable(key), printable(value));
    print_ports("inputs", m.inputs());
    print_ports("outputs", m.outputs());
    fmt::print("parameters: {}, {}\n", c.parameters, size_text(c.bytes));
    fmt::print("{}:\n", plural(c.nodes, "node"));
    for (const auto& [name, count] : c.by_count()) fmt::print("{:8}  {}\n", count, printable(name));
    std::string passes;
    for (const pass_count& p : m.pass_log()) if (p.rewrites) passes += fmt::format("{}{} {}", passes.empty() ? "" : ", ", p.name, p.rewrites);
    fmt::print("rewrites by passes: {}\n", passes.empty() ? "none" : passes);
}
int inspect(const arguments& a) {
    const model m = or_exit(exit_status::load_failed, [&] { return model(a.model); });
    options_from(a.session);  // refuses a bad --fallback
    census c;
    c.add(m.graph());
    if (a.as_json) print(to_json(m, c)); else print_text(m, c);
    if (a.session.providers.empty()) return exit_status::done;
    const plan_report plan = or_exit(exit_status::load_failed, [&] { return make_session(m, a.session).plan(); });
    if (!a.as_json) for (const std::string& name : plan.providers) fmt::print("on {}: {}\n", name, plural(plan.count(name), "node"));
    return exit_status::done;
}
}  // namespace

void add_inspect(CLI::App& app, action& chosen) {
    auto a = std::make_shared<arguments>();
    CLI::App* command = app.add_subcommand("inspect", "Show a model's inputs, outputs, opsets, metadata, operators and parameters");
    command->add_option("MODEL", a->model, "The .onnx file")->required();
    command->add_flag("--json", a->as_json, "As JSON");
    add_session_arguments(*command, a->session);
    choose(command, chosen, inspect, a);
}
}  // namespace inlay::tool
