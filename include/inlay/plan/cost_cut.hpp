// Which provider runs which node, by measured run times: a minimum cut over the graph. Two providers are separated by
// one cut (Dinic, "Algorithm for solution of a problem of maximum flow in networks", 1970), several by exchanging nodes
// between two of them until nothing gets better (Boykov, Veksler and Zabih, "Fast Approximate Energy Minimization via
// Graph Cuts", 2001, swap moves). Constexpr.
#pragma once
#include <inlay/sdk/graph.hpp>
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace inlay {
inline namespace v1 {
// In seconds. The transfer of a value to another provider
// is paid once per reading provider, as it is copied once.
struct run_costs {
    static constexpr double never = std::numeric_limits<double>::infinity();
    int providers = 0;
    std::vector<double> nodes;      // node * providers + provider; never: that provider does not run it
    std::vector<double> transfers;  // by value: between memory spaces, either way
    std::vector<double> handovers;  // by value: between providers in one memory, as where the order of elements differs
    std::vector<int> spaces;        // by provider: 0 is the host, where inputs are and outputs are required
    std::vector<double> regions;    // by provider: of each connected set of nodes, in addition to those nodes

    constexpr double of(int node, int provider) const { return nodes[std::size_t(node * providers + provider)]; }
    constexpr int space(int provider) const { return provider < 0 ? 0 : spaces[std::size_t(provider)]; }
    constexpr double crossing(int value, int from, int to) const {  // -1: the caller
        if (from == to) return 0;
        if (space(from) != space(to)) return transfers[std::size_t(value)];
        return from < 0 || to < 0 ? 0 : handovers[std::size_t(value)];
    }
};

// Maximum flow; capacities are in whole picoseconds, so that every comparison is exact.
class flow_network {
    struct arc {
        int to;
        std::int64_t room;
    };
    std::vector<arc> arcs_;  // an arc and its opposite are neighbours
    std::vector<std::vector<int>> of_;
    std::vector<int> level_;
    std::vector<std::size_t> next_;

    constexpr bool find_levels(int source, int sink) {
        level_.assign(of_.size(), -1);
        std::vector<int> queue{source};
        level_[std::size_t(source)] = 0;
        for (std::size_t k = 0; k < queue.size(); ++k)
            for (int a : of_[std::size_t(queue[k])])
                if (const auto& [to, room] = arcs_[std::size_t(a)]; room > 0 && level_[std::size_t(to)] < 0) {
                    level_[std::size_t(to)] = level_[std::size_t(queue[k])] + 1;
                    queue.push_back(to);
                }
        return level_[std::size_t(sink)] >= 0;
    }
    // One path along the levels, walked without recursion; 0: there is none.
    constexpr std::int64_t push(int source, int sink) {
        std::vector<int> path;
        for (int at = source; at != sink;) {
            const std::vector<int>& arcs = of_[std::size_t(at)];
            std::size_t& k = next_[std::size_t(at)];
            while (k < arcs.size() &&
                   !(arcs_[std::size_t(arcs[k])].room > 0 &&
                     level_[std::size_t(arcs_[std::size_t(arcs[k])].to)] == level_[std::size_t(at)] + 1))
                ++k;
            if (k < arcs.size()) {
                path.push_back(arcs[k]);
                at = arcs_[std::size_t(arcs[k])].to;
            } else {
                if (path.empty()) return 0;
                at = arcs_[std::size_t(path.back() ^ 1)].to;
                ++next_[std::size_t(at)];
                path.pop_back();
            }
        }
        std::int64_t least = unlimited;
        for (int a : path) least = std::min(least, arcs_[std::size_t(a)].room);
        for (int a : path) {
            arcs_[std::size_t(a)].room -= least;
            arcs_[std::size_t(a ^ 1)].room += least;
        }
        return least;
    }

  public:
    static constexpr std::int64_t unlimited = std::int64_t(1) << 60;
    static constexpr std::int64_t capacity_of(double seconds) {
        constexpr double most = 1e5;  // more than a day; 2^60 ps are 13 of them
        return seconds >= most ? unlimited : std::int64_t(seconds * 1e12 + .5);
    }
    constexpr int add_node() {
        of_.emplace_back();
        return int(of_.size()) - 1;
    }
    constexpr void add_arc(int from, int to, std::int64_t capacity) {
        if (capacity == 0) return;
        of_[std::size_t(from)].push_back(int(arcs_.size()));
        arcs_.push_back({to, capacity});
        of_[std::size_t(to)].push_back(int(arcs_.size()));
        arcs_.push_back({from, 0});
    }
    constexpr void run(int source, int sink) {
        while (find_levels(source, sink)) {
            next_.assign(of_.size(), 0);
            while (push(source, sink) > 0) {
            }
        }
    }
    constexpr bool with_source(int node) const { return level_[std::size_t(node)] >= 0; }  // of the smallest cut
};

class cost_cut {
    const run_costs& c_;
    std::vector<int> owners_;                // by node; -1: no provider's, and none may have it
    std::vector<int> makers_;                // by value: the node; -1: the caller
    std::vector<std::vector<int>> readers_;  // by value: nodes; the number of nodes stands for the caller
    int nodes_;

    constexpr int owner_of(int node) const { return node < 0 || node == nodes_ ? -1 : owners_[std::size_t(node)]; }
    constexpr bool counts(int node) const { return node < 0 || node == nodes_ || owners_[std::size_t(node)] >= 0; }
    // The cost of a value, apart from its nodes.
    constexpr double crossings(int value) const {
        const int maker = makers_[std::size_t(value)];
        if (!counts(maker)) return 0;
        double sum = 0;
        std::vector<int> paid;
        for (int reader : readers_[std::size_t(value)]) {
            const int to = owner_of(reader);
            if (!counts(reader) || std::ranges::find(paid, to) != paid.end()) continue;
            paid.push_back(to);
            sum += c_.crossing(value, owner_of(maker), to);
        }
        return sum;
    }
    // The connected set of nodes of one provider that each node is in.
    constexpr std::vector<int> sets(int& count) const {
        std::vector<int> set(std::size_t(nodes_), -1);
        std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(nodes_));
        for (std::size_t v = 0; v < makers_.size(); ++v)
            for (int reader : readers_[v])
                if (const int maker = makers_[v];
                    maker >= 0 && reader < nodes_ && owner_of(maker) >= 0 && owner_of(maker) == owner_of(reader)) {
                    neighbours[std::size_t(maker)].push_back(reader);
                    neighbours[std::size_t(reader)].push_back(maker);
                }
        count = 0;
        for (int i = 0; i < nodes_; ++i) {
            if (owners_[std::size_t(i)] < 0 || set[std::size_t(i)] >= 0) continue;
            std::vector<int> open{i};
            set[std::size_t(i)] = count;
            while (!open.empty()) {
                const int at = open.back();
                open.pop_back();
                for (int n : neighbours[std::size_t(at)])
                    if (set[std::size_t(n)] < 0) {
                        set[std::size_t(n)] = count;
                        open.push_back(n);
                    }
            }
            ++count;
        }
        return set;
    }
    // The cut between provider a, on the source's side, and b.
    class swap_network {
        const cost_cut& cut_;
        const int a_, b_;
        flow_network net_;
        const int source_ = net_.add_node(), sink_ = net_.add_node();
        std::vector<int> place_;  // by node; -1: its owner is another one

        constexpr int place_of(int node) const {
            return node < 0 || node == cut_.nodes_ ? -1 : place_[std::size_t(node)];
        }
        // A value's share of it.
        constexpr void add_value(int value) {
            const int maker = cut_.makers_[std::size_t(value)];
            if (!cut_.counts(maker)) return;
            const auto cost = [&](int from, int to) {
                return flow_network::capacity_of(cut_.c_.crossing(value, from, to));
            };
            std::vector<int> inside, outside;  // readers that may move, and the owners of the others
            for (int reader : cut_.readers_[std::size_t(value)]) {
                if (!cut_.counts(reader)) continue;
                if (const int at = place_of(reader); at >= 0)
                    inside.push_back(at);
                else if (const int to = cut_.owner_of(reader); std::ranges::find(outside, to) == outside.end())
                    outside.push_back(to);
            }
            const int from = place_of(maker);
            if (from >= 0)
                for (int to : outside) {
                    net_.add_arc(from, sink_, cost(a_, to));
                    net_.add_arc(source_, from, cost(b_, to));
                }
            if (inside.empty()) return;
            // Paid once where any reader is on the one side and the producer is not.
            const std::int64_t to_b = from >= 0 ? cost(a_, b_) : cost(cut_.owner_of(maker), b_),
                               to_a = from >= 0 ? cost(b_, a_) : cost(cut_.owner_of(maker), a_);
            if (to_b > 0) {
                const int any = net_.add_node();
                net_.add_arc(from >= 0 ? from : source_, any, to_b);
                for (int reader : inside) net_.add_arc(any, reader, flow_network::unlimited);
            }
            if (to_a > 0) {
                const int any = net_.add_node();
                net_.add_arc(any, from >= 0 ? from : sink_, to_a);
                for (int reader : inside) net_.add_arc(reader, any, flow_network::unlimited);
            }
        }

      public:
        constexpr swap_network(const cost_cut& cut, int a, int b)
            : cut_(cut), a_(a), b_(b), place_(std::size_t(cut.nodes_), -1) {
            for (int i = 0; i < cut.nodes_; ++i)
                if (const int o = cut.owners_[std::size_t(i)]; o == a || o == b) {
                    const int at = place_[std::size_t(i)] = net_.add_node();
                    net_.add_arc(at, sink_, flow_network::capacity_of(cut.c_.of(i, a)));
                    net_.add_arc(source_, at, flow_network::capacity_of(cut.c_.of(i, b)));
                }
            for (std::size_t v = 0; v < cut.makers_.size(); ++v) add_value(int(v));
        }
        constexpr std::vector<int> owners() {
            net_.run(source_, sink_);
            std::vector<int> owners = cut_.owners_;
            for (std::size_t i = 0; i < owners.size(); ++i)
                if (place_[i] >= 0) owners[i] = net_.with_source(place_[i]) ? a_ : b_;
            return owners;
        }
    };
    constexpr bool keep_if_less(std::vector<int> owners, double& best) {
        std::swap(owners_, owners);
        constexpr double noise = 1e-12;  // a picosecond
        if (const double now = total(); now < best - noise) {
            best = now;
            return true;
        }
        std::swap(owners_, owners);
        return false;
    }
    constexpr bool dissolve(double& best) {  // sets that cost more than they gain
        int count = 0;
        bool any = false;
        const std::vector<int> set = sets(count);
        for (int s = 0; s < count; ++s)
            for (int p = 0; p < c_.providers; ++p) {
                std::vector<int> trial = owners_;
                bool possible = true;
                for (int i = 0; i < nodes_; ++i)
                    if (set[std::size_t(i)] == s) {
                        possible &= c_.of(i, p) < run_costs::never;
                        trial[std::size_t(i)] = p;
                    }
                if (possible && trial != owners_) any |= keep_if_less(std::move(trial), best);
            }
        return any;
    }

  public:
    // owners: by node, the initial assignment; -1 for nodes that cannot be assigned.
    constexpr cost_cut(const graph_view& g, const run_costs& c, std::vector<int> owners)
        : c_(c),
          owners_(std::move(owners)),
          makers_(g.values.size(), -1),
          readers_(g.values.size()),
          nodes_(int(g.nodes.size())) {
        for (int i = 0; i < nodes_; ++i) {
            for (int v : g.list(g.nodes[std::size_t(i)].outputs))
                if (v >= 0 && !g.values[std::size_t(v)].is_constant()) makers_[std::size_t(v)] = i;
            for_each_read(g, g.nodes[std::size_t(i)], [&](int v) {
                if (!g.values[std::size_t(v)].is_constant()) readers_[std::size_t(v)].push_back(i);
            });
        }
        for (int v : g.outputs)
            if (!g.values[std::size_t(v)].is_constant()) readers_[std::size_t(v)].push_back(nodes_);
    }
    constexpr double total() const {
        double sum = 0;
        for (int i = 0; i < nodes_; ++i)
            if (owners_[std::size_t(i)] >= 0) sum += c_.of(i, owners_[std::size_t(i)]);
        for (std::size_t v = 0; v < makers_.size(); ++v) sum += crossings(int(v));
        int count = 0;
        const std::vector<int> set = sets(count);
        std::vector<char> paid(std::size_t(count), 0);
        for (int i = 0; i < nodes_; ++i)
            if (const int s = set[std::size_t(i)]; s >= 0 && !std::exchange(paid[std::size_t(s)], 1))
                sum += c_.regions[std::size_t(owners_[std::size_t(i)])];
        return sum;
    }
    // No assignment of these nodes costs less: each on the provider that is the fastest for it, and nothing in between.
    constexpr double lower_bound() const {
        double sum = 0;
        for (int i = 0; i < nodes_; ++i) {
            if (owners_[std::size_t(i)] < 0) continue;
            double least = run_costs::never;
            for (int p = 0; p < c_.providers; ++p) least = std::min(least, c_.of(i, p));
            sum += least;
        }
        return sum;
    }
    constexpr const std::vector<int>& run() {
        double best = total();
        for (bool better = true; better;) {
            better = false;
            for (int a = 0; a < c_.providers; ++a)
                for (int b = a + 1; b < c_.providers; ++b)
                    better |= keep_if_less(swap_network(*this, a, b).owners(), best);
            better |= dissolve(best);
        }
        return owners_;
    }
    constexpr const std::vector<int>& owners() const { return owners_; }
};
}  // namespace v1
}  // namespace inlay
