// One node of a model: its operator, attributes, inputs and outputs.
#include "inspect.hpp"
#include "node_text.hpp"

namespace inlay::tool {
namespace {
const node& node_named(const model& m, const std::string& name) {
    std::vector<std::string> names;
    for (const node& n : m.view().nodes) {
        if (n.name == name) return n;
        names.emplace_back(n.name);
    }
    const std::string near = nearest_name(name, names);
    throw bad_usage("the model has no node `" + name + "`",
                    near.empty() ? "inlay plan shows its nodes" : "did you mean `" + near + "`?");
}
std::span<const attribute> attributes_of(const graph_view& g, const node& n) {
    return g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count));
}
json values_json(const graph_view& g, const range& ids) {
    json list = json::array();
    for (int id : g.list(ids)) {
        if (id < 0) {
            list.push_back(nullptr);
            continue;
        }
        const value& v = g.values[std::size_t(id)];
        list.push_back({{"name", v.name},
                        {"type", name_of(v.type)},
                        {"shape", shape_text(g, v.dims)},
                        {"constant", v.is_constant()}});
    }
    return list;
}
void show_values(const graph_view& g, const range& ids, std::string_view title) {
    for (int id : g.list(ids)) {
        if (id < 0) {
            fmt::print("  {:<9}  (absent)\n", title);
            continue;
        }
        const value& v = g.values[std::size_t(id)];
        fmt::print("  {:<9}  {}: {} {}{}\n", title, printable(v.name), name_of(v.type), shape_text(g, v.dims),
                   v.is_constant() ? ", constant" : "");
    }
}
}  // namespace
bool has_node(const model& m, const std::string& name) {
    return std::ranges::find(m.view().nodes, name, &node::name) != m.view().nodes.end();
}
json node_json(const model& m, const std::string& name) {
    const graph_view& g = m.view();
    const node& n = node_named(m, name);
    json j{
        {"name", n.name}, {"op", n.op}, {"domain", n.domain}, {"version", n.version}, {"attributes", json::object()}};
    for (const attribute& a : attributes_of(g, n)) j["attributes"][std::string(a.name)] = attribute_text(g, a);
    j["inputs"] = values_json(g, n.inputs);
    j["outputs"] = values_json(g, n.outputs);
    return j;
}
void show_node(const model& m, const std::string& name) {
    const graph_view& g = m.view();
    const node& n = node_named(m, name);
    fmt::print("{}: {}{}{}-{}\n", printable(n.name), printable(n.domain), n.domain.empty() ? "" : ".", printable(n.op),
               n.version);
    for (const attribute& a : attributes_of(g, n))
        fmt::print("  attribute  {} = {}\n", printable(a.name), printable(attribute_text(g, a)));
    show_values(g, n.inputs, "input");
    show_values(g, n.outputs, "output");
}
}  // namespace inlay::tool
