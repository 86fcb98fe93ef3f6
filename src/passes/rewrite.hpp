// Shared by the passes: producers and users of values, and the removal of nodes.
#pragma once
#include "engine/facts.hpp"
#include "passes/passes.hpp"
#include <algorithm>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace passes {
class rewriter {
  public:
    explicit rewriter(graph_data& g)
        : g(g),
          users_(g.values.size()),
          makers_(g.values.size(), -1),
          outputs_(g.values.size()),
          to_(g.values.size(), -1),
          dropped_(g.nodes.size()) {
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            for (range r : {g.nodes[i].inputs, g.nodes[i].captures})
                for (int v : list(r))
                    if (v >= 0) users_[std::size_t(v)].push_back(int(i));
            for (int v : list(g.nodes[i].outputs))
                if (v >= 0 && !g.values[std::size_t(v)].is_constant()) makers_[std::size_t(v)] = int(i);
        }
        for (int v : g.outputs) outputs_[std::size_t(v)] = true;
    }
    graph_data& g;

    std::span<int> list(range r) const {
        return std::span(g.edges).subspan(std::size_t(r.first), std::size_t(r.count));
    }
    int input(const node& n, int k) const { return k < n.inputs.count ? g.edges[std::size_t(n.inputs.first + k)] : -1; }
    int output(const node& n, int k = 0) const {
        return k < n.outputs.count ? g.edges[std::size_t(n.outputs.first + k)] : -1;
    }
    const value* input_value(const node& n, int k) const {
        const int v = input(n, k);
        return v < 0 ? nullptr : &g.values[std::size_t(v)];
    }
    const graph_constant* constant(int v) const {
        return v >= 0 && g.values[std::size_t(v)].is_constant()
                   ? &g.constants[std::size_t(g.values[std::size_t(v)].constant)]
                   : nullptr;
    }
    std::span<const attribute> attributes(const node& n) const {
        return std::span(g.attributes).subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count));
    }
    const attribute* find(const node& n, std::string_view name) const {
        for (const attribute& a : attributes(n))
            if (a.name == name) return &a;
        return nullptr;
    }
    std::int64_t integer(const node& n, std::string_view name, std::int64_t otherwise) const {
        auto a = find(n, name);
        return a && a->kind == attribute_kind::integer ? a->integer : otherwise;
    }
    double real(const node& n, std::string_view name, double otherwise) const {
        auto a = find(n, name);
        return a && a->kind == attribute_kind::real ? a->real : otherwise;
    }

    const std::vector<int>& users(int v) const { return users_[std::size_t(v)]; }  // node indexes, one per use
    int maker(int v) const { return makers_[std::size_t(v)]; }  // node index; -1 of inputs and constants
    bool is_output(int v) const { return outputs_[std::size_t(v)]; }
    bool only_used_by(int v, int node) const { return !is_output(v) && users(v).size() == 1 && users(v)[0] == node; }
    bool dropped(int node) const { return dropped_[std::size_t(node)]; }

    // Both take effect in apply(); until then users() and maker() describe the graph as it was.
    void replace(int from, int to) { to_[std::size_t(from)] = to; }
    int now(int v) const {
        while (v >= 0 && std::size_t(v) < to_.size() && to_[std::size_t(v)] >= 0) v = to_[std::size_t(v)];
        return v;
    }
    void drop(int node) { dropped_[std::size_t(node)] = true; }
    void apply() {
        for (const node& n : g.nodes)
            for (range r : {n.inputs, n.captures})
                for (int& v : list(r)) v = now(v);
        std::size_t count = 0;
        for (std::size_t i = 0; i < g.nodes.size(); ++i)
            if (i >= dropped_.size() || !dropped_[i]) g.nodes[count++] = g.nodes[i];
        g.nodes.resize(count);
    }

  private:
    std::vector<std::vector<int>> users_;
    std::vector<int> makers_;
    std::vector<char> outputs_;
    std::vector<int> to_;
    std::vector<char> dropped_;
};

// A MatMul by a constant matrix of 4-bit quantized values with scales for blocks along K, through DequantizeLinear.
struct blocked_product {
    int decode = -1, transpose = -1, matmul = -1;  // nodes; no transpose: -1
    int axis = 0;                                  // of the quantized values: that of K
    std::int64_t block = 0;
};
// The MatMul whose matrix is the result of node `decode`, and which alone reads it. It stays a node: dequantized, the
// matrix would be eight times as large.
std::optional<blocked_product> blocked_product_of(const rewriter& r, int decode);

// Drops every record that nothing refers to; the others keep their order. Returns the number of constants dropped.
int compact(graph_data& g);

inline bool is(const node& n, std::string_view op) { return n.op == op && n.domain.empty(); }
}  // namespace passes
}  // namespace v1
}  // namespace inlay
