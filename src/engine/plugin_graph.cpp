#include "plugin_graph.hpp"

namespace inlay {
inline namespace v1 {
static_assert(sizeof(int) == sizeof(std::int32_t), "ids are passed as they are");

inlay_text plugin_graph::text(std::string_view s) {
    const std::string& copy = strings_.emplace_back(s);  // ends with a NUL
    return {copy.c_str(), copy.size()};
}
inlay_attribute plugin_graph::translated(const graph_view& g, const attribute& a) {
    static_assert(int(attribute_kind::integer) == INLAY_ATTRIBUTE_INTEGER &&
                  int(attribute_kind::texts) == INLAY_ATTRIBUTE_TEXTS &&
                  int(attribute_kind::graph) == INLAY_ATTRIBUTE_GRAPH);
    inlay_attribute to{};
    to.size = sizeof to;
    to.name = text(a.name);
    to.kind = int(a.kind);
    to.integer = a.kind == attribute_kind::graph ? -1 : a.integer;
    to.real = a.real;
    to.text = text(a.text);
    to.count = std::size_t(a.list.count);
    if (a.kind == attribute_kind::integers) to.integers = g.integers.data() + a.list.first;
    if (a.kind == attribute_kind::reals) to.reals = g.reals.data() + a.list.first;
    if (a.kind == attribute_kind::texts) to.texts = texts_.data() + a.list.first;
    return to;
}
inlay_value plugin_graph::translated(const graph_view& g, const value& v) {
    static constexpr std::int64_t no_integers = 0;
    static constexpr double no_reals = 0;
    inlay_value to{};
    to.size = sizeof to;
    to.name = text(v.name);
    to.type = v.type == element::object ? 0 : int(v.type);
    to.rank = v.dims.rank;
    to.dims = v.dims.begin();
    to.is_constant = v.is_constant();
    to.known_count = v.kind == contents::none ? 0 : std::size_t(v.list.count);
    const bool any = to.known_count > 0;
    if (v.kind == contents::integers) to.known_integers = any ? g.integers.data() + v.list.first : &no_integers;
    if (v.kind == contents::reals) to.known_reals = any ? g.reals.data() + v.list.first : &no_reals;
    return to;
}
inlay_node plugin_graph::translated(const graph_view& g, const node& n) {
    inlay_node to{};
    to.size = sizeof to;
    to.name = text(n.name);
    to.domain = text(n.domain);
    to.op = text(n.op);
    to.version = n.version;
    to.attribute_count = std::size_t(n.attributes.count);
    to.attributes = attribute_list_.data() + n.attributes.first;
    to.input_count = std::size_t(n.inputs.count);
    to.inputs = g.edges.data() + n.inputs.first;
    to.output_count = std::size_t(n.outputs.count);
    to.outputs = g.edges.data() + n.outputs.first;
    to.capture_count = std::size_t(n.captures.count);
    to.captures = g.edges.data() + n.captures.first;
    return to;
}
plugin_graph::plugin_graph(const graph_view& g) {
    const auto lists = [](auto& list, const auto& source) {
        for (const auto& item : source) list.push_back(&item);
    };
    for (std::string_view s : g.texts) texts_.push_back(text(s));
    for (const attribute& a : g.attributes) attributes_.push_back(translated(g, a));
    lists(attribute_list_, attributes_);
    for (const value& v : g.values) values_.push_back(translated(g, v));
    lists(value_list_, values_);
    for (const node& n : g.nodes) nodes_.push_back(translated(g, n));
    lists(node_list_, nodes_);
    graph_ = {sizeof graph_,    text(g.name),      nodes_.size(),      values_.size(),  g.inputs.size(),
              g.outputs.size(), node_list_.data(), value_list_.data(), g.inputs.data(), g.outputs.data()};
}
std::string untold_of(const graph_view& g, const node& n) {
    for (const attribute& a : g.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
        if (a.kind == attribute_kind::graph) return "plugins are not queried about nodes with bodies";
    for (const range& ends : {n.inputs, n.outputs})
        for (const int id : g.list(ends))
            if (id >= 0 && g.values[std::size_t(id)].type == element::object)
                return "plugins are not queried about sequences, maps and optionals";
    return {};
}
}  // namespace v1
}  // namespace inlay
