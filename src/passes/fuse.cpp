// How fusion passes add their candidates to the graph.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
static void add(rewriter& r, std::string_view domain, std::string_view op, int version, const candidate& c) {
    graph_data& g = r.g;
    std::vector<int> sources = c.nodes;
    std::sort(sources.begin(), sources.end());
    const auto name_of = [&](int i) { return std::string(g.nodes[std::size_t(i)].name); };
    std::string name = name_of(c.nodes[0]);
    if (c.nodes.size() > 4)
        name += "..." + name_of(c.nodes.back());
    else
        for (std::size_t k = 1; k < c.nodes.size(); ++k) name += "+" + name_of(c.nodes[k]);
    g.add_node(domain, op, version, name, c.attributes, c.inputs, joined({c.output}, c.more_outputs));
    node candidate = g.nodes.back();
    g.nodes.pop_back();
    candidate.sources = g.add_edges(sources);
    g.fused.push_back(candidate);
}

void add_all(rewriter& r, std::string_view domain, std::string_view op, int version,
             std::vector<candidate>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const candidate& a, const candidate& b) {
        if (a.nodes.size() != b.nodes.size()) return a.nodes.size() > b.nodes.size();
        return a.nodes.back() != b.nodes.back() ? a.nodes.back() < b.nodes.back() : a.nodes[0] > b.nodes[0];
    });
    for (const candidate& c : candidates) add(r, domain, op, version, c);
}

std::vector<attribute> with_activation(rewriter& r, std::span<const attribute> list, const activation& a) {
    std::vector<attribute> attributes(list.begin(), list.end());
    attributes.push_back(r.g.make("activation", a.name));
    attributes.push_back(r.g.make("activation_params", std::span<const double>(a.params)));
    return attributes;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
