// Proposals of engines whose libraries read regions as files: nodes that are read as a whole are one region.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <algorithm>
#include <array>

namespace inlay {
inline namespace v1 {
// fault(node): why a node is not even tried; refusal(region): why the library does not read it, which has no constants;
// empty: nothing, and it does. Sets that it reads as a whole are regions. Where it does not, each node of the set is
// tried alone.
template <class Fault, class Refusal>
void propose_read_sets(const free_nodes& free, proposals& out, Fault fault, Refusal refusal) {
    const graph_view& g = free.graph;
    region_ends finder(g);
    const auto unread = [&](std::span<const int> set) -> std::string {
        const region_values ends = finder.of(set);
        return refusal(region{g, set, ends.inputs, ends.outputs});
    };
    std::vector<int> nodes;
    for (int i : free.nodes) {
        std::string why = fault(node_view{g, g.nodes[std::size_t(i)]});
        if (why.empty())
            nodes.push_back(i);
        else
            out.refuse(i, std::move(why));
    }
    for (bool all_read = false; !all_read;) {
        all_read = true;
        std::vector<int> left;
        std::vector<std::vector<int>> sets = convex_sets(g, nodes);
        for (const std::vector<int>& set : sets) {
            const std::string why = unread(set);
            const std::size_t before = left.size();
            for (int i : set)
                if (std::string alone = why.empty() ? "" : unread(std::array{i}); alone.empty())
                    left.push_back(i);
                else
                    out.refuse(i, std::move(alone));
            if (why.empty()) continue;
            all_read = false;
            if (left.size() - before < set.size()) continue;
            left.resize(before);  // each of them alone is good, all together are not
            for (int i : set) out.refuse(i, why);
        }
        std::ranges::sort(left);
        nodes = std::move(left);
        if (all_read)
            for (std::vector<int>& set : sets) out.take(std::move(set));
    }
}
}  // namespace v1
}  // namespace inlay
