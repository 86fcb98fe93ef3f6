// What takes whole regions of a graph, as a vendor's library does: it proposes regions, compiles each, and has one
// executable per run at a time.
#pragma once
#include "graph.hpp"
#include "kernel.hpp"
#include <inlay/error.hpp>
#include <memory>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
// Part of a graph that is compiled as a whole. Shapes are those of one plan. Among the nodes that an engine may take
// are those that decode constants, such as DequantizeLinear of quantised weights: their results are constants too, so
// that a region may have such a node, and read its input, or leave it and read its result.
struct region {
    const graph_view& graph;
    std::span<const int> nodes;  // ascending
    std::span<const int> inputs,
        outputs;  // value ids, in the order of the executable's arguments; constants are no inputs
    std::span<const void* const> constants;  // by value id; null where the value is no constant that a node of the
                                             // region reads. They live as long as what is compiled from the region
};

// What the nodes read and do not make, and what they make for others; constants are neither.
struct region_values {
    std::vector<int> inputs, outputs;
};
constexpr region_values ends_of(const graph_view& g, std::span<const int> nodes) {
    std::vector<char> inside(g.nodes.size(), 0), made(g.values.size(), 0), seen(g.values.size(), 0),
        needed(g.values.size(), 0);
    for (int i : nodes) {
        inside[i] = 1;
        for (int v : g.list(g.nodes[i].outputs))
            if (v >= 0) made[v] = 1;
    }
    for (int v : g.outputs) needed[v] = 1;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (!inside[i]) for_each_read(g, g.nodes[i], [&](int v) { needed[v] = 1; });
    region_values ends;
    for (int i : nodes) {
        for_each_read(g, g.nodes[i], [&](int v) {
            if (made[v] || seen[v] || g.values[v].is_constant()) return;
            seen[v] = 1;
            ends.inputs.push_back(v);
        });
        for (int v : g.list(g.nodes[i].outputs))
            if (v >= 0 && needed[v] && !g.values[v].is_constant()) ends.outputs.push_back(v);
    }
    return ends;
}

// An engine's answer: each node that it was asked about is in one region, or refused with the reason.
class proposals {
  public:
    struct refused_node {
        int node;
        std::string why;
    };

    constexpr void take(std::vector<int> nodes) { regions_.push_back(std::move(nodes)); }  // ascending
    constexpr void refuse(int node, std::string why) { refusals_.push_back({node, std::move(why)}); }
    constexpr const std::vector<std::vector<int>>& regions() const { return regions_; }
    constexpr const std::vector<refused_node>& refusals() const { return refusals_; }

  private:
    std::vector<std::vector<int>> regions_;
    std::vector<refused_node> refusals_;
};

// What one run at a time executes: its requests, bindings and scratch. Arguments are in the provider's memory, in plain
// layout, in the order of the region's inputs and outputs.
struct executable {
    virtual ~executable() = default;
    virtual status run(const arguments&, context&) noexcept = 0;
};
// A region, compiled: the same for all runs.
struct compiled_region {
    virtual ~compiled_region() = default;
    virtual result<std::unique_ptr<executable>> instance() const = 0;  // threads may ask at the same time
};
// One per session and provider object: handles of the library, and what the options say. Threads that make plans for
// different shapes may ask at the same time.
struct engine {
    virtual ~engine() = default;
    // free: the nodes that no earlier provider took and whose shapes are all known, ascending.
    virtual void propose(const graph_view&, std::span<const int> free, proposals&) = 0;
    // The error's code is provider_failed, unless another one tells more.
    virtual result<std::shared_ptr<const compiled_region>> compile(const region&) = 0;
};
}  // namespace v1
}  // namespace inlay
