// Which nodes an engine takes as one region.
#include <inlay/sdk/engine.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
// Stage of a value: how often the longest path to it has entered or left the nodes. All paths between two nodes of one
// stage stay inside.
std::vector<std::vector<int>> convex_sets(const graph_view& g, std::span<const int> nodes) {
    std::vector<char> inside(g.nodes.size(), 0);
    for (int i : nodes) inside[std::size_t(i)] = 1;
    std::vector<int> stage(g.values.size(), 0);
    std::vector<std::vector<int>> sets;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        int s = 0;
        for_each_read(g, n, [&](int id) { s = std::max(s, stage[std::size_t(id)]); });
        s += s % 2 != int(inside[i]);  // odd inside
        for (int id : g.list(n.outputs))
            if (id >= 0) stage[std::size_t(id)] = s;
        if (!inside[i]) continue;
        const auto set = std::size_t(s / 2);
        if (sets.size() <= set) sets.resize(set + 1);
        sets[set].push_back(int(i));
    }
    std::erase_if(sets, [](const auto& set) { return set.empty(); });
    return sets;
}
void propose_each(const free_nodes& free, proposals& out, const std::function<std::string(int)>& refusal) {
    std::vector<int> candidates;
    for (int i : free.nodes)
        if (std::string reason = refusal(i); reason.empty())
            candidates.push_back(i);
        else
            out.refuse(i, std::move(reason));
    for (std::vector<int>& set : convex_sets(free.graph, candidates)) out.take(std::move(set));
}
}  // namespace v1
}  // namespace inlay
