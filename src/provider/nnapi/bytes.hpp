// What NNAPI computes in 8 bits: nodes whose inputs are decoded from 8 bits and whose results are encoded to them.
#pragma once
#include "interface.hpp"
#include <functional>
#include <lowering/node_values.hpp>
#include <lowering/quantisation.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
struct operand_type {
    std::int32_t code = nnapi_interface::TENSOR_FLOAT32;
    float scale = 0;
    std::int32_t zero = 0;
    bool operator==(const operand_type&) const = default;
    bool in_bytes() const { return code != nnapi_interface::TENSOR_FLOAT32; }
};

// Of a graph: who makes and who reads each value, and what those of 8 bits stand for.
class byte_graph {
    const graph_view& g_;
    const constant_source* constants_;
    value_nodes value_nodes_;
    std::vector<int> decoder_;  // the first node that decodes the value

  public:
    byte_graph(const graph_view&, const constant_source*);
    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    bool decodes(int i) const { return view(i).record.domain.empty() && view(i).record.op == "DequantizeLinear"; }
    bool encodes(int i) const { return view(i).record.domain.empty() && view(i).record.op == "QuantizeLinear"; }
    int maker(int value) const { return value_nodes_.maker(value); }
    int only_reader(int value) const { return value_nodes_.only_reader(value); }  // or negative
    // What a node that encodes or decodes says of the value of 8 bits; nothing: not one scale that is known.
    std::optional<operand_type> said_by(int node) const;
    // Of a value of 8 bits: as its maker says, else the first node that decodes it.
    std::optional<operand_type> of(int value) const;
    // Of weights: what they were decoded from, if they were.
    std::optional<quantisation> of_constant(int value) const;
};

// Which of a region's nodes are computed in 8 bits.
struct byte_nodes {
    const byte_graph* graph = nullptr;
    std::vector<char> in_bytes, absorbed;  // absorbed: encodes what such a node already gives in 8 bits
    std::vector<int> source;               // by value: itself, or the value of 8 bits in its place
    explicit byte_nodes(const graph_view& g, const byte_graph& b)
        : graph(&b), in_bytes(g.nodes.size(), 0), absorbed(g.nodes.size(), 0), source(g.values.size()) {
        for (std::size_t v = 0; v < source.size(); ++v) source[v] = int(v);
    }
};
// Those of the nodes for which `taken` says yes: it is asked about the node with those around it, as a region.
byte_nodes find_bytes(const graph_view&, const byte_graph&, std::span<const int> nodes, std::int64_t level,
                      const std::function<bool(std::span<const int>, const byte_nodes&)>& taken);
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay
