// inlay diff: the differences between two models.
#include "node_text.hpp"
#include "terminal.hpp"
#include <cmath>
#include <cstring>

namespace inlay::tool {
namespace {
struct diff_arguments {
    std::string first, second;
    bool as_json = false, quiet = false;
};
struct change {  // first, second: empty where one model does not have it
    std::string kind, name, first, second;
};

using facts = std::map<std::string, std::string>;  // text by name
void compare(const std::string& kind, const facts& a, const facts& b, std::vector<change>& changes) {
    for (const auto& [name, text] : a) {
        const auto entry = b.find(name);
        if (entry == b.end())
            changes.push_back({kind, name, text, ""});
        else if (entry->second != text)
            changes.push_back({kind, name, text, entry->second});
    }
    for (const auto& [name, text] : b)
        if (!a.contains(name)) changes.push_back({kind, name, "", text});
}
facts ports_of(std::span<const port> ports) {
    facts list;
    for (const port& p : ports) list[p.name] = p.type_text + (p.kind == value_kind::tensor ? " " + shape_text(p) : "");
    return list;
}
facts opsets_of(const model& m) {
    facts list;
    for (const opset& o : m.opsets()) list[o.domain.empty() ? "ai.onnx" : o.domain] = std::to_string(o.version);
    return list;
}
facts nodes_of(const model& m) {  // by name, else by the first output
    const graph_view& g = m.view();
    facts list;
    for (const node& n : g.nodes) {
        const auto names = [&](range r) {
            std::string text;
            for (int id : g.list(r))
                text +=
                    (text.empty() ? "" : ", ") + (id < 0 ? std::string() : std::string(g.values[std::size_t(id)].name));
            return text;
        };
        std::map<std::string_view, std::string> attributes;
        for (const attribute& a :
             g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
            attributes[a.name] = attribute_text(g, a);
        std::string text = fmt::format("{}{}{}-{}", n.domain, n.domain.empty() ? "" : ".", n.op, n.version);
        for (const auto& [name, value] : attributes) text += fmt::format(" {}={}", name, value);
        list[n.name.empty() ? names(n.outputs) : std::string(n.name)] =
            text + " (" + names(n.inputs) + ") -> " + names(n.outputs);
    }
    return list;
}
std::map<std::string, const graph_constant*> constants_of(const model& m) {
    std::map<std::string, const graph_constant*> constants;
    for (const value& v : m.graph().values)
        if (v.is_constant() && !v.name.empty())
            constants[std::string(v.name)] = &m.graph().constants[std::size_t(v.constant)];
    return constants;
}
std::string constant_text(const graph_constant& t) {
    return fmt::format("{} {}", name_of(t.type()), to_string(t.shape()));
}
std::string largest_difference(const tensor& a, const tensor& b) {
    double most = 0;
    std::int64_t count = 0;
    with_type(a.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
            for (std::int64_t i = 0; i < a.elements(); ++i) {
                const double x = double(load<T>(a.data(), i)), y = double(load<T>(b.data(), i));
                if (x == y || (std::isnan(x) && std::isnan(y))) continue;
                ++count;
                most = std::max(most, std::abs(x - y));
            }
    });
    return count ? fmt::format("{} of {} elements differ, by {:.3g} at most", count, a.elements(), most)
                 : "other bytes";
}
void compare_constants(const model& a, const model& b, std::vector<change>& changes) {
    const auto constants_a = constants_of(a), constants_b = constants_of(b);
    for (const auto& [name, first] : constants_a) {
        const auto entry = constants_b.find(name);
        if (entry == constants_b.end()) {
            changes.push_back({"constant", name, constant_text(*first), ""});
            continue;
        }
        const graph_constant& second = *entry->second;
        if (first->type() != second.type() || first->shape() != second.shape()) {
            changes.push_back({"constant", name, constant_text(*first), constant_text(second)});
            continue;
        }
        const tensor t = first->get(), u = second.get();
        if (t.type() == element::string) {
            if (!std::ranges::equal(t.as<std::string>(), u.as<std::string>()))
                changes.push_back({"constant", name, "strings", "other strings"});
        } else if (std::memcmp(t.data(), u.data(), std::size_t(t.bytes())) != 0)
            changes.push_back({"constant", name, constant_text(*first), largest_difference(t, u)});
    }
    for (const auto& [name, t] : constants_b)
        if (!constants_a.contains(name)) changes.push_back({"constant", name, "", constant_text(*t)});
}
int diff(const diff_arguments& a) {
    model_options as_it_is;
    as_it_is.optimize = false;
    const model first = load_model(a.first, a.quiet, as_it_is), second = load_model(a.second, a.quiet, as_it_is);
    std::vector<change> changes;
    compare("opset", opsets_of(first), opsets_of(second), changes);
    compare("metadata", first.metadata(), second.metadata(), changes);
    compare("input", ports_of(first.inputs()), ports_of(second.inputs()), changes);
    compare("output", ports_of(first.outputs()), ports_of(second.outputs()), changes);
    compare("node", nodes_of(first), nodes_of(second), changes);
    compare_constants(first, second, changes);
    if (a.as_json) {
        json j{{"schema", "inlay.diff"},
               {"version", 1},
               {"first", a.first},
               {"second", a.second},
               {"changes", json::array()}};
        for (const change& c : changes)
            j["changes"].push_back({{"kind", c.kind},
                                    {"name", c.name},
                                    {"first", c.first.empty() ? json(nullptr) : json(c.first)},
                                    {"second", c.second.empty() ? json(nullptr) : json(c.second)}});
        print(j);
    } else if (!a.quiet) {
        for (const change& c : changes) {
            if (!c.first.empty())
                fmt::print("{}\n", painted(fmt::format("- {} {}: {}", c.kind, printable(c.name), printable(c.first)),
                                           tint::bad));
            if (!c.second.empty())
                fmt::print("{}\n", painted(fmt::format("+ {} {}: {}", c.kind, printable(c.name), printable(c.second)),
                                           tint::good));
        }
        fmt::print("{}\n", changes.empty() ? "no difference" : plural(std::int64_t(changes.size()), "difference"));
    }
    return changes.empty() ? exit_status::done : exit_status::differs;
}
}  // namespace

void add_diff(command& app, action& task) {
    auto a = std::make_shared<diff_arguments>();
    command c = app.add_command(
        "diff",
        "Show in what two models differ: inputs, outputs, opsets, nodes by name, constants; exit status 1 if they do");
    c.add_option("FIRST", a->first, "An .onnx file").required();
    c.add_option("SECOND", a->second, "Another one").required();
    add_json(c, a->as_json);
    add_quiet(c, a->quiet);
    choose(c, task, diff, a);
}
}  // namespace inlay::tool
