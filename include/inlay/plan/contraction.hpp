// May several nodes become one? Only where no value that vanishes between them is read elsewhere, and where the fused
// node does not depend on itself through others, earlier fusions included.
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <algorithm>
#include <utility>
#include <vector>

namespace inlay {
inline namespace v1 {
class contraction {
    const graph_view& g_;
    std::vector<int> makers_;                  // of each value: a node, or -1
    std::vector<int> reads_;                   // of each value: how often, as an output of the graph too
    std::vector<int> readers_, first_reader_;  // nodes by what they read; built on first use
    std::vector<int> group_of_;                // of each node: that which it is part of, or -1
    std::vector<std::vector<int>> groups_;
    // Of each node: a later one from which joining groups lead back to it, or itself. Followed to its end, the last
    // such node.
    std::vector<int> leads_back_;
    std::vector<char> inside_, reached_;
    std::vector<int> worklist_;
    std::int64_t visits_ = 0;

    constexpr void note(int i) {
        if (reached_[i]) return;
        reached_[i] = 1;
        worklist_.push_back(i);
    }
    constexpr void forget_notes() {
        for (int i : worklist_) reached_[i] = 0;
    }
    constexpr bool is_made(int v) const { return v >= 0 && makers_[v] >= 0; }
    constexpr bool is_inner(int v) const { return is_made(v) && inside_[makers_[v]]; }
    constexpr std::string_view hides_too_much(const node& fused, std::span<const int> sources) {
        const auto outputs = g_.list(fused.outputs);
        for (int s : sources) for_each_read(g_, g_.nodes[s], [&](int v) { --reads_[v]; });
        bool hides = false;
        for (int s : sources)
            for (int v : g_.list(g_.nodes[s].outputs))
                hides |= is_made(v) && reads_[v] > 0 && std::ranges::find(outputs, v) == outputs.end();
        for (int s : sources) for_each_read(g_, g_.nodes[s], [&](int v) { ++reads_[v]; });
        if (hides) return "a value within it is read elsewhere";
        for (int v : outputs)
            if (v >= 0 && (!is_inner(v) || std::ranges::count(outputs, v) > 1))
                return "it does not make each of its outputs once";
        for (int v : g_.list(fused.inputs))
            if (is_inner(v)) return "it reads what it makes itself";
        return {};
    }
    // All sources lead to the one output: every path in leaves there, as before.
    constexpr bool ends_in_one(const node& fused, std::span<const int> sources) {
        const auto outputs = g_.list(fused.outputs);
        if (std::ranges::count_if(outputs, [](int v) { return v >= 0; }) != 1) return false;
        worklist_.clear();
        const auto lead = [&](int v) {
            if (is_inner(v)) note(makers_[v]);
        };
        for (int v : outputs) lead(v);
        for (std::size_t k = 0; k < worklist_.size(); ++k) for_each_read(g_, g_.nodes[worklist_[k]], lead);
        const bool is_connected = worklist_.size() == sources.size();
        forget_notes();
        return is_connected;
    }
    // All sources follow from one value, or from none that a node produces: every path in starts there, as before.
    constexpr bool begins_in_one(std::span<const int> sources) const {
        int input = -1;
        bool apart = false, several = false;
        for (int s : sources) {
            bool follows = false;
            for_each_read(g_, g_.nodes[s], [&](int v) {
                if (!is_made(v)) return;
                follows = true;
                if (is_inner(v)) return;
                several |= input >= 0 && v != input;
                input = v;
            });
            apart |= !follows;
        }
        return input < 0 || (!several && !apart);
    }
    constexpr void find_readers() {
        first_reader_.assign(g_.values.size() + 1, 0);
        const auto for_each_edge = [&](auto f) {
            for (int i = 0; i < int(g_.nodes.size()); ++i)
                for_each_read(g_, g_.nodes[i], [&](int v) {
                    if (makers_[v] >= 0) f(v, i);
                });
        };
        for_each_edge([&](int v, int) { ++first_reader_[v + 1]; });
        for (std::size_t v = 1; v < first_reader_.size(); ++v) first_reader_[v] += first_reader_[v - 1];
        readers_.assign(first_reader_.back(), 0);
        std::vector<int> next(first_reader_.begin(), first_reader_.end() - 1);
        for_each_edge([&](int v, int i) { readers_[next[v]++] = i; });
    }
    // The last node with a path back to the sources: nodes are in order, groups lead backwards.
    constexpr int last_of_interest(int node) {
        int end = node;
        while (leads_back_[end] != end) end = leads_back_[end];
        while (leads_back_[node] != end) node = std::exchange(leads_back_[node], end);
        return end;
    }
    constexpr void join(int first, int end) {
        for (int i = last_of_interest(first); i < end; i = last_of_interest(i)) leads_back_[i] = i + 1;
    }
    // Marks in reached_ what reads the node's outputs, with its group; true where that is within the sources.
    constexpr bool reach(int from, int last_node) {
        for (int v : g_.list(g_.nodes[from].outputs)) {
            if (!is_made(v)) continue;
            for (int k = first_reader_[v]; k < first_reader_[v + 1]; ++k) {
                const int i = readers_[k];
                if (inside_[i] && !inside_[from]) return true;
                if (inside_[i] || reached_[i] || i > last_node) continue;
                const std::span<const int> alone(&i, 1);
                for (int member : group_of_[i] < 0 ? alone : std::span<const int>(groups_[group_of_[i]])) note(member);
            }
        }
        return false;
    }
    constexpr std::string_view depends_on_itself(std::span<const int> sources) {
        if (first_reader_.empty()) find_readers();
        const std::int64_t most = 64 * (std::int64_t(g_.nodes.size()) + 1024);
        const int last_node = last_of_interest(*std::ranges::max_element(sources));
        bool back = false;
        worklist_.clear();
        for (int s : sources) back |= reach(s, last_node);
        for (std::size_t k = 0; k < worklist_.size() && !back && visits_ < most; ++k, ++visits_)
            back = reach(worklist_[k], last_node);
        forget_notes();
        return back              ? "it would depend on itself through other nodes"
               : visits_ >= most ? "too many nodes lie between those that it stands for"
                                 : std::string_view{};
    }

  public:
    constexpr explicit contraction(const graph_view& g) : g_(g) {
        if (g.fused.empty()) return;
        makers_.assign(g.values.size(), -1);
        reads_.assign(g.values.size(), 0);
        group_of_.assign(g.nodes.size(), -1);
        inside_.assign(g.nodes.size(), 0);
        reached_.assign(g.nodes.size(), 0);
        for (int i = 0; i < int(g.nodes.size()); ++i) leads_back_.push_back(i);
        for (int i = 0; i < int(g.nodes.size()); ++i) {
            for (int v : g.list(g.nodes[i].outputs))
                if (v >= 0 && !g.values[v].is_constant()) makers_[v] = i;
            for_each_read(g, g.nodes[i], [&](int v) { ++reads_[v]; });
        }
        for (int v : g.outputs) ++reads_[v];
    }
    // Nodes that are one from now on; `joins`: the fusion adds paths through them.
    constexpr void take(std::span<const int> nodes, bool joins = true) {
        if (g_.fused.empty()) return;
        for (int i : nodes) group_of_[i] = int(groups_.size());
        groups_.emplace_back(nodes.begin(), nodes.end());
        if (joins) join(std::ranges::min(nodes), std::ranges::max(nodes));
    }
    struct answer {
        verdict outcome;  // yes, or why the fused node cannot replace its sources
        bool joins;       // for take()
    };
    constexpr answer check(const node& fused) {
        const auto sources = g_.list(fused.sources);
        for (int s : sources) inside_[s] = 1;
        std::string_view reason = hides_too_much(fused, sources);
        const bool joins = reason.empty() && !ends_in_one(fused, sources) && !begins_in_one(sources);
        if (joins) reason = depends_on_itself(sources);
        for (int s : sources) inside_[s] = 0;
        return {reason.empty() ? yes() : verdict{false, reason, refusal::provider, 0}, joins};
    }
};
}  // namespace v1
}  // namespace inlay
