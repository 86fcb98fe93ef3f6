// Mirrors include/inlay/sdk/engine.hpp.
#include "../catch.hpp"
#include "../plan/random_graph.hpp"
#include <set>
using namespace inlay;
using namespace inlay::testing;

namespace {
// By a look at the whole graph.
region_values ends_by_looking(const graph_view& g, std::span<const int> nodes) {
    const auto inside = [&](int i) { return std::ranges::find(nodes, i) != nodes.end(); };
    std::set<int> produced, needed(g.outputs.begin(), g.outputs.end());
    for (int i = 0; i < int(g.nodes.size()); ++i) {
        const node& n = g.nodes[std::size_t(i)];
        if (!inside(i)) for_each_read(g, n, [&](int v) { needed.insert(v); });
        if (inside(i))
            for (int v : g.list(n.outputs)) produced.insert(v);
    }
    region_values ends;
    for (int i : nodes) {
        const node& n = g.nodes[std::size_t(i)];
        for_each_read(g, n, [&](int v) {
            if (!produced.contains(v) && std::ranges::find(ends.inputs, v) == ends.inputs.end())
                ends.inputs.push_back(v);
        });
        for (int v : g.list(n.outputs))
            if (needed.contains(v)) ends.outputs.push_back(v);
    }
    return ends;
}
}  // namespace

TEST_CASE("The ends of many regions of a graph are found by what their own nodes read and make") {
    int inputs = 0, outputs = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        const random_graph<24> graph(seed);
        const graph_view g = graph.view();
        region_ends finder(g);
        for (int first = 0; first < 24; first += 1 + int(seed % 5)) {
            std::vector<int> nodes;
            for (int i = first; i < 24; i += 1 + int(seed % 3))
                if ((seed >> (i % 7)) % 2 == 0) nodes.push_back(i);
            const region_values actual = finder.of(nodes), expected = ends_by_looking(g, nodes);
            CHECK(actual.inputs == expected.inputs);
            CHECK(actual.outputs == expected.outputs);
            inputs += int(expected.inputs.size());
            outputs += int(expected.outputs.size());
        }
    }
    CHECK(inputs > 1000);
    CHECK(outputs > 1000);
}
