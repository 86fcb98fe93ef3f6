// inlay inspect: the contents of a model file.
#include "inspect.hpp"
#include "terminal.hpp"
#include <set>

namespace inlay::tool {
namespace {
struct inspect_arguments {
    std::string model, node;
    std::vector<std::string> shapes;
    session_arguments session;
    bool as_json = false;
};
struct census {  // of the graph and its subgraphs
    std::map<std::string, std::int64_t> operators;
    std::int64_t nodes = 0, parameters = 0, bytes = 0;
    std::set<graph_constant::identity_type> identities;  // a constant that bodies capture is one constant
    void add(const graph_data& g) {
        for (const node& n : g.nodes) {
            ++nodes;
            ++operators[(n.domain.empty() ? "" : std::string(n.domain) + ".") + std::string(n.op)];
        }
        for (const graph_constant* t : g.parameters()) {
            if (!identities.insert(t->identity()).second) continue;
            parameters += t->elements();
            bytes += t->bytes();
        }
        for (const graph_data& body : g.subgraphs) add(body);
    }
    explicit census(const model& m) { add(m.graph()); }
    std::int64_t count(const std::string& op) const {
        const auto at = operators.find(op);
        return at == operators.end() ? 0 : at->second;
    }
};
// The contents of the file, and what the passes leave of it.
struct both_graphs {
    census file, passes;
    std::vector<std::string> operators() const {  // the most frequent of the file first
        std::set<std::string> names;
        for (const census* part : {&file, &passes})
            for (const auto& [name, count] : part->operators) names.insert(name);
        std::vector<std::string> list(names.begin(), names.end());
        std::ranges::stable_sort(list, std::greater{}, [&](const std::string& name) {
            return std::pair(file.count(name), passes.count(name));
        });
        return list;
    }
};

json to_json(std::span<const port> ports) {
    json list = json::array();
    for (const port& p : ports) {
        json dims = nullptr;
        if (p.shape.rank >= 0) {
            dims = json::array();
            for (int i = 0; i < p.shape.rank; ++i) {
                if (p.shape[i] >= 0)
                    dims.push_back(p.shape[i]);
                else if (std::size_t(i) < p.dim_names.size() && !p.dim_names[std::size_t(i)].empty())
                    dims.push_back(p.dim_names[std::size_t(i)]);
                else
                    dims.push_back(nullptr);
            }
        }
        list.push_back({{"name", p.name}, {"kind", name_of(p.kind)}, {"type", p.type_text}, {"shape", dims}});
    }
    return list;
}
json to_json(const demand& d) {
    json j{{"shapes", json::object()}, {"flop", d.flop ? json(*d.flop) : json(nullptr)}, {"why_no_flop", d.no_flop}};
    for (const auto& [name, dims] : d.shapes)
        j["shapes"][std::string(name)] =
            dims.known() ? json(std::vector<std::int64_t>(dims.begin(), dims.end())) : json(nullptr);
    j["bytes"] = nullptr;
    if (d.memory)
        j["bytes"] = {{"arena", d.memory->arena_bytes()},
                      {"scratch", d.memory->scratch_bytes},
                      {"constants", d.memory->constant_bytes},
                      {"packed", d.memory->packed_bytes},
                      {"peak", d.peak_bytes()}};
    j["why_no_plan"] = d.no_plan;
    j["nodes"] = d.nodes;
    return j;
}
json to_json(const census& c, const std::vector<std::string>& operators) {
    json j{
        {"nodes", c.nodes}, {"operators", json::object()}, {"parameters", c.parameters}, {"parameter_bytes", c.bytes}};
    for (const std::string& name : operators)
        if (c.count(name)) j["operators"][name] = c.count(name);
    return j;
}
json to_json(const model& m, const both_graphs& c, const demand& d) {
    json j{{"schema", "inlay.inspect"},     {"version", 1},
           {"graph", m.graph_name()},       {"ir_version", m.ir_version()},
           {"producer", m.producer_name()}, {"producer_version", m.producer_version()},
           {"domain", m.domain()},          {"model_version", m.model_version()},
           {"doc_string", m.doc_string()}};
    for (const opset& o : m.opsets()) j["opsets"].push_back({{"domain", o.domain}, {"version", o.version}});
    j["metadata"] = m.metadata();
    j["inputs"] = to_json(m.inputs());
    j["outputs"] = to_json(m.outputs());
    j["dynamic_dimensions"] = json::array();
    for (const free_dimension& f : free_dimensions(m))
        j["dynamic_dimensions"].push_back(
            {{"input", f.input}, {"axis", f.axis}, {"name", f.name.empty() ? json(nullptr) : json(f.name)}});
    j.update(to_json(c.passes, c.operators()));
    j["file"] = to_json(c.file, c.operators());
    j["passes"] = json::array();
    for (const pass_count& p : m.pass_log()) j["passes"].push_back({{"name", p.name}, {"rewrites", p.rewrites}});
    j["run"] = to_json(d);
    return j;
}

void print_ports(const char* title, std::span<const port> ports) {
    std::size_t name = 0, type = 0;
    for (const port& p : ports) {
        name = std::max(name, p.name.size());
        type = std::max(type, p.type_text.size());
    }
    fmt::print("{}:\n", title);
    for (const port& p : ports)
        fmt::print("  {:{}}  {:{}}  {}\n", printable(p.name), name, p.type_text, type,
                   p.kind == value_kind::tensor ? shape_text(p) : "");
}
void print_demand(const demand& d) {
    fmt::print("a run with");
    for (const auto& [name, dims] : d.shapes)
        fmt::print(" {}{}", printable(name), dims.known() ? to_string(dims) : "[...]");
    fmt::print(":\n");
    if (d.flop)
        fmt::print(
            "  {:.6g} MFLOP: multiplications and additions of products, convolutions, recurrences and attention, but "
            "in bodies of control flow\n",
            *d.flop / 1e6);
    else
        fmt::print("  FLOP unknown: {}\n", printable(d.no_flop));
    if (d.memory)
        fmt::print("  at most {} of memory: arena {}, scratch {}, constants {}, packed weights {}{}\n",
                   size_text(d.peak_bytes()), size_text(d.memory->arena_bytes()), size_text(d.memory->scratch_bytes),
                   size_text(d.memory->constant_bytes), size_text(d.memory->packed_bytes),
                   d.memory->unplanned
                       ? fmt::format("; and {} whose size only the run shows", plural(d.memory->unplanned, "value"))
                       : "");
    else
        fmt::print("  memory unknown{}: {}\n", d.nodes.empty() ? ", for no plan can be made" : "",
                   printable(d.no_plan));
    for (const auto& [provider, nodes] : d.nodes) fmt::print("  on {}: {}\n", provider, plural(nodes, "node"));
}
void print_text(const model& m, const both_graphs& c, const demand& d) {
    fmt::print("model:    {}, IR {}", printable(m.graph_name()), m.ir_version());
    for (const opset& o : m.opsets())
        fmt::print(", opset {}{}", o.domain.empty() ? "" : printable(o.domain) + " ", o.version);
    fmt::print("\n");
    if (!m.producer_name().empty())
        fmt::print("producer: {}{}{}\n", printable(m.producer_name()), m.producer_version().empty() ? "" : " ",
                   printable(m.producer_version()));
    if (!m.doc_string().empty()) fmt::print("about:    {}\n", printable(m.doc_string()));
    for (const auto& [key, value] : m.metadata()) fmt::print("metadata: {} = {}\n", printable(key), printable(value));
    print_ports("inputs", m.inputs());
    print_ports("outputs", m.outputs());
    std::string dynamic;
    for (const free_dimension& f : free_dimensions(m))
        dynamic += fmt::format("{}{}{}[{}]", dynamic.empty() ? "" : ", ",
                               f.name.empty() ? "" : printable(f.name) + " = ", printable(f.input), f.axis);
    fmt::print("dynamic dimensions: {}\n", dynamic.empty() ? "none" : dynamic);
    fmt::print("parameters: {}, {} in the file; {}, {} after the passes\n", c.file.parameters, size_text(c.file.bytes),
               c.passes.parameters, size_text(c.passes.bytes));
    fmt::print("{} in the file, {} after the passes:\n", plural(c.file.nodes, "node"), c.passes.nodes);
    fmt::print("{:>8}  {:>8}  operator\n", "file", "passes");
    for (const std::string& name : c.operators())
        fmt::print("{:8}  {:8}  {}\n", c.file.count(name), c.passes.count(name), printable(name));
    std::string passes;
    for (const pass_count& p : m.pass_log())
        if (p.rewrites) passes += fmt::format("{}{} {}", passes.empty() ? "" : ", ", p.name, p.rewrites);
    fmt::print("rewrites by passes: {}\n", passes.empty() ? "none" : passes);
    print_demand(d);
}
int inspect(const inspect_arguments& a) {
    model_options as_it_is;
    as_it_is.optimize = false;
    const model file = load_model(a.model, a.session.quiet, as_it_is), m = load_model(a.model, a.session.quiet);
    if (!a.node.empty()) {
        const model& of = has_node(file, a.node) || !has_node(m, a.node) ? file : m;
        if (a.as_json)
            print({{"schema", "inlay.inspect"}, {"version", 1}, {"node", node_json(of, a.node)}});
        else if (!a.session.quiet)
            show_node(of, a.node);
        return exit_status::done;
    }
    const both_graphs c{census(file), census(m)};
    progress line(a.session.quiet);
    line.show("planning " + a.model);
    const demand d =
        or_exit(exit_status::load_failed, [&] { return demand_of(m, shapes_from(a.shapes, m), a.session); });
    line.done();
    if (a.as_json)
        print(to_json(m, c, d));
    else if (!a.session.quiet)
        print_text(m, c, d);
    return exit_status::done;
}
}  // namespace

void add_inspect(command& app, action& task) {
    auto a = std::make_shared<inspect_arguments>();
    command c = app.add_command("inspect",
                                "Show what is in a model: inputs, outputs, opsets, metadata, operators, "
                                "parameters; and what a run computes and needs");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    c.add_option("--node", a->node, "Show this node of the file alone: its attributes, inputs and outputs")
        .type_name("NAME");
    add_shape_option(c, a->shapes);
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    c.footer(
        "Operators, nodes and parameters are those of the file, functions inlined, next to those after the passes. The "
        "memory is what the plan takes on --providers, the CPU\n"
        "by default: constants too, whose pages the system may have back where weights were packed.");
    choose(c, task, inspect, a);
}
}  // namespace inlay::tool
