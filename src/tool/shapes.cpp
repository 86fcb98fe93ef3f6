// inlay shapes: the type and the shape of every value.
#include "engine/facts.hpp"
#include "engine/specialise.hpp"
#include "node_text.hpp"
#include "symbols.hpp"

namespace inlay::tool {
namespace {
struct shapes_arguments {
    std::string model;
    std::vector<std::string> sizes, set;
    bool constants = false, as_json = false, quiet = false;
};
struct listed_value {
    std::string name, type, dims, kind, from;  // kind: input, constant, value, output; from: the node that produces it
    shape sizes = shape::unknown();
    std::vector<std::string> names{};  // of its dimensions, where they are symbols
};

// In the order of a run; `scope`: the node and the attribute that a body is of.
class lister {
    const bool constants_;

    void add(const graph_view& g, int id, std::string kind, const std::string& scope, const node* producer) {
        const value& v = g.values[std::size_t(id)];
        if (v.name.empty()) return;
        if (std::ranges::find(g.outputs, id) != g.outputs.end()) kind = kind == "input" ? "input, output" : "output";
        const value_type t = g.type_of(id);
        listed_value r{scope + std::string(v.name), t.known() ? to_string(t) : "?", "", std::move(kind), ""};
        if (t.is_tensor()) {
            r.dims = shape_text(g, v.dims);
            r.sizes = v.dims;
            for (std::int64_t d : v.dims) r.names.emplace_back(d < -1 ? g.symbols[std::size_t(-2 - d)] : "");
        }
        if (producer)
            r.from = std::string(producer->op) + (producer->name.empty() ? "" : " " + std::string(producer->name));
        rows.push_back(std::move(r));
    }

  public:
    std::vector<listed_value> rows;
    explicit lister(bool constants) : constants_(constants) {}
    void add_graph(const graph_view& g, const std::string& scope) {
        std::vector<char> listed(g.values.size());
        const auto add_once = [&](int id, const char* kind, const node* producer) {
            if (!std::exchange(listed[std::size_t(id)], 1)) add(g, id, kind, scope, producer);
        };
        for (int id : g.inputs) add_once(id, "input", nullptr);
        for (const node& n : g.nodes) {
            for (int id : g.list(n.inputs))
                if (constants_ && id >= 0 && g.values[std::size_t(id)].is_constant()) add_once(id, "constant", nullptr);
            for (int id : g.list(n.outputs))
                if (id >= 0) add_once(id, "value", &n);
            for (const attribute& a :
                 g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
                if (a.kind == attribute_kind::graph)
                    add_graph(g.subgraphs[std::size_t(a.integer)],
                              fmt::format("{}{}/{}/", scope, n.name.empty() ? n.op : n.name, a.name));
        }
    }
};

// The graph with everything that follows from the inputs' shapes, where they are known; else as it was loaded.
std::vector<listed_value> rows_of(const model& m, bool constants) {
    std::vector<shape> inputs;
    bool has_shapes = true;
    for (const port& p : m.inputs()) {
        inputs.push_back(p.shape);
        has_shapes &= p.shape.known() || p.kind != value_kind::tensor;
    }
    lister list(constants);
    if (!has_shapes) {
        list.add_graph(m.view(), "");
        return std::move(list.rows);
    }
    specialised s =
        specialise(m.graph(), m.view(), inputs, [](const node& n) { return find_entry(reference_kernels(), n); });
    for (std::size_t id = 0; id < s.graph.values.size(); ++id)  // the file may give what only the run determines
        if (!s.graph.values[id].dims.known() && m.view().values[id].dims.rank >= 0)
            s.graph.values[id].dims = m.view().values[id].dims;
    list.add_graph(s.graph.view, "");
    return std::move(list.rows);
}
json to_json(const listed_value& r) {
    json dims = nullptr;
    if (r.sizes.rank >= 0) {
        dims = json::array();
        for (int i = 0; i < r.sizes.rank; ++i)
            dims.push_back(r.sizes[i] >= 0                   ? json(r.sizes[i])
                           : r.names[std::size_t(i)].empty() ? json(nullptr)
                                                             : json(r.names[std::size_t(i)]));
    }
    return {{"name", r.name},
            {"type", r.type},
            {"shape", dims},
            {"kind", r.kind},
            {"node", r.from.empty() ? json(nullptr) : json(r.from)}};
}
void show(const std::vector<listed_value>& rows) {
    std::size_t name = 5, type = 4, dims = 5;
    for (const listed_value& r : rows) {
        name = std::max(name, r.name.size());
        type = std::max(type, r.type.size());
        dims = std::max(dims, r.dims.size());
    }
    name = std::min<std::size_t>(name, 60);
    fmt::print("{:{}}  {:{}}  {:{}}  \n", "value", name, "type", type, "shape", dims);
    for (const listed_value& r : rows)
        fmt::print("{:{}}  {:{}}  {:{}}  {}{}\n", printable(r.name), name, r.type, type, r.dims, dims,
                   r.kind == "value" ? "" : r.kind + (r.from.empty() ? "" : " of "), printable(r.from));
}
int shapes(const shapes_arguments& a) {
    model_options o;
    o.optimize = false;  // the file's own values
    model m = load_model(a.model, a.quiet, o);
    o.free_dimension_overrides = sizes_of(shapes_from(joined(a.sizes, a.set), m), m);
    if (!o.free_dimension_overrides.empty()) m = load_model(a.model, a.quiet, o);
    const std::vector<listed_value> rows = or_exit(exit_status::bad_input, [&] { return rows_of(m, a.constants); });
    if (a.as_json) {
        json j{{"schema", "inlay.shapes"},
               {"version", 1},
               {"model", a.model},
               {"set", o.free_dimension_overrides},
               {"values", json::array()}};
        for (const listed_value& r : rows) j["values"].push_back(to_json(r));
        print(j);
    } else if (!a.quiet)
        show(rows);
    return exit_status::done;
}
}  // namespace

void add_shapes(command& app, action& task) {
    auto a = std::make_shared<shapes_arguments>();
    command c = app.add_command("shapes", "Show the type and the shape of every value, for given sizes of symbols");
    c.add_option("MODEL", a->model, "The .onnx file").required();
    add_shape_option(c, a->sizes);
    add_old_set_option(c, a->set);
    c.add_flag("--constants", a->constants, "List the constants that nodes read, too");
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    c.footer(
        "The values are those of the file, before any pass. Symbols that are not set stay in the shapes by their "
        "names; "
        "`?` stands for a size that only the run shows.\n"
        "Values of bodies of If, Loop and Scan have the node's name and the attribute's before theirs, and the shapes "
        "that "
        "the file has.");
    choose(c, task, shapes, a);
}
}  // namespace inlay::tool
