// Nodes between DequantizeLinear and QuantizeLinear, which XNNPACK computes in 8 bits.
#pragma once
#include <provider/quantisation.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
// Who makes and reads the values of a graph, and what those of 8 bits stand for. XNNPACK gets signed elements: of
// unsigned ones, 128 is taken away at a region's borders, and from their zero points here.
class quantised_graph {
    const graph_view& g_;
    const constant_source* constants_;
    std::vector<int> maker_, reader_;  // nodes by value; -1: none; reader_: the only one, or -2
    std::vector<int> decoder_;         // the first DequantizeLinear that reads the value

    std::optional<quantisation> read(const node_view&) const;  // of a node that decodes or encodes

  public:
    struct neighbours {
        std::string why;          // the node is not computed in 8 bits; empty: it is
        std::vector<int> before;  // the nodes that decode its inputs
        int behind = -1;          // the one that encodes its output
    };

    quantised_graph(const graph_view&, const constant_source*);
    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    bool decodes(int i) const { return g_.nodes[std::size_t(i)].op == "DequantizeLinear"; }
    bool encodes(int i) const { return g_.nodes[std::size_t(i)].op == "QuantizeLinear"; }
    bool decodes_constant(int i) const { return decodes(i) && view(i).is_constant(0); }
    bool reads_decoded(int i) const;  // the node reads what is decoded while it runs
    // Of a value of 8 bits: what its maker says, else its first reader; of a decoded one: of that which was decoded.
    std::optional<quantisation> of(int value) const;
    // `there`: for each node, whether it may be a neighbour.
    neighbours neighbours_of(int node, const std::vector<char>& there) const;
    // Somebody reads the value as floats: a node that is not computed in 8 bits, or one outside.
    bool wanted_as_floats(int value, const std::vector<char>& in_bytes) const;
};
}  // namespace v1
}  // namespace inlay
