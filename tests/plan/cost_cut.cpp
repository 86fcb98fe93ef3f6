// The placement of least cost, against all placements there are.
#include "../catch.hpp"
#include <inlay/plan/cost_cut.hpp>
#include <random>
#include <string>
using namespace inlay;

namespace {
// Nodes of one output and up to two inputs: values 0 to nodes - 1 are theirs, the last one is the graph's input.
struct small_graph {
    std::vector<node> nodes;
    std::vector<value> values;
    std::vector<int> edges, inputs, outputs;
    constexpr explicit small_graph(int count) : values(std::size_t(count) + 1) {
        inputs.push_back(count);
        outputs.push_back(count - 1);
    }
    constexpr void add(std::initializer_list<int> node_inputs) {
        node n;
        n.inputs = {int(edges.size()), int(node_inputs.size())};
        edges.insert(edges.end(), node_inputs);
        n.outputs = {int(edges.size()), 1};
        edges.push_back(int(nodes.size()));
        nodes.push_back(n);
    }
    constexpr graph_view view() const {
        graph_view g;
        g.nodes = nodes;
        g.values = values;
        g.edges = edges;
        g.inputs = inputs;
        g.outputs = outputs;
        return g;
    }
};
constexpr run_costs costs_of(int nodes, int providers) {
    run_costs c;
    c.providers = providers;
    c.nodes.assign(std::size_t(nodes * providers), 1);
    c.transfers.assign(std::size_t(nodes) + 1, 0);
    c.handovers.assign(std::size_t(nodes) + 1, 0);
    c.spaces.assign(std::size_t(providers), 0);
    c.regions.assign(std::size_t(providers), 0);
    return c;
}
struct random_case {
    small_graph graph;
    run_costs costs;
    std::vector<int> owners;
    random_case(int nodes, int providers, std::mt19937& bits) : graph(nodes), costs(costs_of(nodes, providers)) {
        const auto below = [&](int n) { return int(bits() % unsigned(n)); };
        for (int i = 0; i < nodes; ++i) {
            const auto earlier = [&] { return i == 0 || below(4) == 0 ? nodes : below(i); };
            if (below(2))
                graph.add({earlier(), earlier()});
            else
                graph.add({earlier()});
            for (int p = 0; p < providers; ++p)
                costs.nodes[std::size_t(i * providers + p)] =
                    below(5) == 0 && p + 1 < providers ? run_costs::never : below(20) * 1e-6;
            owners.push_back(providers - 1);
        }
        for (double& t : costs.transfers) t = below(12) * 1e-6;
        for (double& t : costs.handovers) t = below(4) * 1e-6;
        for (int& s : costs.spaces) s = below(2);
    }
    double least() const {  // of all placements
        double best = run_costs::never;
        std::vector<int> trial(owners.size(), 0);
        for (bool more = true; more;) {
            best = std::min(best, cost_cut(graph.view(), costs, trial).total());
            std::size_t k = 0;
            while (k < trial.size() && ++trial[k] == costs.providers) trial[k++] = 0;
            more = k < trial.size();
        }
        return best;
    }
};
// A chain of three: the middle one is faster on provider 0, by less than two copies take, or by more.
constexpr int owner_of_the_middle(double gain) {
    small_graph g(3);
    g.add({3});
    g.add({0});
    g.add({1});
    run_costs c = costs_of(3, 2);
    c.nodes = {9e-6, 1e-6, 5e-6, 5e-6 + gain, 9e-6, 1e-6};
    c.transfers = {2e-6, 2e-6, 2e-6, 2e-6};
    c.spaces = {1, 0};
    const graph_view v = g.view();
    return cost_cut(v, c, {1, 1, 1}).run()[1];
}
static_assert(owner_of_the_middle(3e-6) == 1);
static_assert(owner_of_the_middle(5e-6) == 0);
constexpr double least_sum() {
    small_graph g(2);
    g.add({2});
    g.add({0});
    run_costs c = costs_of(2, 2);
    c.nodes = {3, 2, 1, 4};
    const graph_view v = g.view();
    return cost_cut(v, c, {0, 0}).lower_bound();
}
static_assert(least_sum() == 3);
}  // namespace

TEST_CASE("Between two providers the cut finds what no other placement betters") {
    const unsigned seed = 20261124;
    INFO("seed " << seed);
    std::mt19937 bits(seed);
    for (int round = 0; round < 300; ++round) {
        const random_case c(1 + round % 9, 2, bits);
        INFO("round " << round);
        const graph_view g = c.graph.view();
        cost_cut cut(g, c.costs, c.owners);
        cut.run();
        CHECK(cut.total() == Approx(c.least()).epsilon(1e-9).margin(1e-12));
        CHECK(cut.lower_bound() <= cut.total() + 1e-12);
    }
}

TEST_CASE("Among three providers the cut is no worse than where it began, and mostly the best") {
    const unsigned seed = 7;
    INFO("seed " << seed);
    std::mt19937 bits(seed);
    int best = 0;
    constexpr int rounds = 100;
    for (int round = 0; round < rounds; ++round) {
        const random_case c(1 + round % 7, 3, bits);
        const graph_view g = c.graph.view();
        cost_cut cut(g, c.costs, c.owners);
        const double before = cut.total();
        cut.run();
        CHECK(cut.total() <= before);
        best += cut.total() <= c.least() + 1e-11;
    }
    CHECK(best >= rounds * 9 / 10);
}

TEST_CASE("A set of nodes that gains less than a region costs is dissolved") {
    small_graph g(6);
    g.add({6});
    for (int i = 0; i < 5; ++i) g.add({i});
    run_costs c = costs_of(6, 2);
    // Provider 0 gains 1 us on nodes 1 and 4, and takes 3 us for each region.
    c.nodes = {2e-6, 1e-6, 1e-6, 2e-6, 2e-6, 1e-6, 2e-6, 1e-6, 1e-6, 2e-6, 2e-6, 1e-6};
    c.regions = {3e-6, 0};
    const graph_view v = g.view();
    cost_cut islands(v, c, {1, 0, 1, 1, 0, 1});
    CHECK(islands.run() == std::vector<int>(6, 1));
    c.regions = {5e-7, 0};
    cost_cut unchanged(v, c, {1, 0, 1, 1, 0, 1});
    CHECK(unchanged.run() == std::vector<int>{1, 0, 1, 1, 0, 1});
}
