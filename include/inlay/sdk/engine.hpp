// An engine compiles whole regions of a graph, as a vendor's library does: it proposes regions, compiles each, and has
// one executable per concurrent run.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "graph.hpp"
#include "kernel.hpp"
#include <inlay/error.hpp>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
// Access to the elements of constants: requested one by one, and borrowed. They live as long as what is compiled from
// the region that owns them.
struct constant_source {
    virtual ~constant_source() = default;
    // Of a constant value: for compile() at an address that is a multiple of 64, for propose() at any. Null where not
    // available.
    virtual const void* elements(int value) const = 0;
};
// Of a graph whose k-th constant has the elements that f(k) points to.
template <std::invocable<int> F> class constants_of final : public constant_source {
    std::span<const value> values_;
    mutable F elements_;

  public:
    constants_of(const graph_view& g, F f) : values_(g.values), elements_(std::move(f)) {}
    const void* elements(int value) const override {
        const inlay::value& v = values_[std::size_t(value)];
        return v.is_constant() ? elements_(v.constant) : nullptr;
    }
};

// Part of a graph that is compiled as a whole. Shapes are those of one plan. The nodes offered to an engine include
// those that dequantize constants, such as DequantizeLinear of quantized weights: their results are constants too, so
// that a region may have such a node, and read its input, or leave it and read its result.
struct region {
    const graph_view& graph;
    std::span<const int> nodes;  // ascending
    std::span<const int> inputs,
        outputs;  // value ids, in the order of the executable's arguments; constants are no inputs
    const constant_source* constants = nullptr;
    const void* constant(int value) const { return constants ? constants->elements(value) : nullptr; }
};

// What the nodes read and do not produce, and what they produce for others; constants are neither.
struct region_values {
    std::vector<int> inputs, outputs;
};
// The ends of many sets of nodes of one graph, which is scanned once; then each set costs its nodes' inputs and
// outputs. One thread at a time.
class region_ends {
    const graph_view& g_;
    std::vector<int> reads_;          // of each value: how often, as an output of the graph too
    std::vector<int> inside_;         // of those, by the nodes of the current set
    std::vector<char> is_available_;  // the set produces it, or has it among its inputs

    template <class F> constexpr void each_output(std::span<const int> nodes, F f) const {
        for (int i : nodes)
            for (int v : g_.list(g_.nodes[i].outputs))
                if (v >= 0) f(v);
    }
    template <class F> constexpr void each_read(std::span<const int> nodes, F f) const {
        for (int i : nodes) for_each_read(g_, g_.nodes[i], f);
    }

  public:
    constexpr explicit region_ends(const graph_view& g)
        : g_(g), reads_(g.values.size(), 0), inside_(g.values.size(), 0), is_available_(g.values.size(), 0) {
        for (const node& n : g.nodes) for_each_read(g, n, [&](int v) { ++reads_[v]; });
        for (int v : g.outputs) ++reads_[v];
    }
    constexpr region_values of(std::span<const int> nodes) {
        region_values ends;
        each_output(nodes, [&](int v) { is_available_[v] = 1; });
        each_read(nodes, [&](int v) {
            ++inside_[v];
            if (is_available_[v] || g_.values[v].is_constant()) return;
            is_available_[v] = 1;
            ends.inputs.push_back(v);
        });
        each_output(nodes, [&](int v) {
            if (reads_[v] > inside_[v] && !g_.values[v].is_constant()) ends.outputs.push_back(v);
        });
        const auto forget = [&](int v) {
            is_available_[v] = 0;
            inside_[v] = 0;
        };
        each_output(nodes, forget);
        each_read(nodes, forget);
        return ends;
    }
};
constexpr region_values ends_of(const graph_view& g, std::span<const int> nodes) { return region_ends(g).of(nodes); }

// The nodes that an engine is queried for: not claimed by an earlier provider, with all shapes known; ascending.
struct free_nodes {
    const graph_view& graph;
    std::span<const int> nodes;
    const constant_source* constants = nullptr;
    const void* constant(int value) const { return constants ? constants->elements(value) : nullptr; }
};
// The engine's proposal: each queried node is in one region, or refused with the reason.
class proposals {
  public:
    struct refused_node {
        int node;
        std::string reason;
    };

    constexpr void take(std::vector<int> region) { regions_.push_back(std::move(region)); }  // nodes, ascending
    constexpr void refuse(int node, std::string reason) { refusals_.push_back({node, std::move(reason)}); }
    constexpr const std::vector<std::vector<int>>& regions() const { return regions_; }
    constexpr const std::vector<refused_node>& refusals() const { return refusals_; }

  private:
    std::vector<std::vector<int>> regions_;
    std::vector<refused_node> refusals_;
};
// Splits the nodes into as few valid regions as can be: no path leaves a set and comes back. All are ascending.
std::vector<std::vector<int>> convex_sets(const graph_view&, std::span<const int> nodes);
// Claims each node for which refusal(node) is empty, in convex sets, and refuses the others with that text.
void propose_each(const free_nodes&, proposals&, const std::function<std::string(int)>& refusal);

// An argument of a run: a tensor in the provider's memory, in plain layout. A library that identifies memory by the
// handle of an allocation finds the elements `offset` bytes after it; `allocation` is what
// memory_space<Tag>::allocate() returned, or what the caller bound.
struct buffer {
    void* data = nullptr;  // allocation and offset as one pointer; null only where there are no elements
    void* allocation = nullptr;
    std::int64_t offset = 0;
    element type = element::undefined;
    shape dims;
    template <class T> T* as() const { return static_cast<T*>(data); }
};
// What one run at a time executes: its requests, bindings and scratch. Buffers are in the order of the region's inputs
// and outputs; inputs are only read.
struct executable {
    virtual ~executable() = default;
    virtual status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) noexcept = 0;
};
// A region, compiled: the same for all runs.
struct compiled_region {
    virtual ~compiled_region() = default;
    virtual result<std::unique_ptr<executable>> instance() const = 0;  // threads may call it concurrently
    // Bytes from which restore() recreates it, faster than compile() would. Constants are in them: the session that
    // restores them may have none.
    virtual result<std::string> save() const {
        return error(error_code::provider_failed, "it keeps nothing of what it compiled");
    }
};
// One per session and provider object: handles of the library, and what the options say. Threads that plan for
// different shapes may call it concurrently.
struct engine {
    virtual ~engine() = default;
    virtual void propose(const free_nodes&, proposals&) = 0;
    // unsupported_model: it does not support these nodes after all, which then are refused with the error's text;
    // another error is a failure of the provider, of the code provider_failed, unless its own code says more.
    virtual result<std::shared_ptr<const compiled_region>> compile(const region&) = 0;
    // For any sizes of the dimensions that the region's graph does not know, which are negative there. Called when a
    // second set of input shapes requires a region; after an error each set of shapes is compiled separately.
    virtual result<std::shared_ptr<const compiled_region>> compile_for_any_shapes(const region&) {
        return error(error_code::provider_failed, "it compiles for known shapes");
    }
    // From what save() returned, with the same options and identity(). The region then has one node, without constants:
    // its inputs and outputs have the types, shapes and order of those that were compiled. The bytes are a file's: they
    // may be anything. They live as long as what is restored from them.
    virtual result<std::shared_ptr<const compiled_region>> restore(const region&, std::string_view) {
        return error(error_code::provider_failed, "it keeps nothing of what it compiled");
    }
    // What saved regions depend on besides the graph, its constants and the provider's options, as names and values:
    // "library", its version, "device", and others that the engine names itself.
    virtual std::vector<std::pair<std::string, std::string>> identity() const { return {}; }
};
}  // namespace v1
}  // namespace inlay
