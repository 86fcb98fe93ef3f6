// What XNNPACK computes in 8 bits: nodes between DequantizeLinear and QuantizeLinear, and those that ONNX has in 8
// bits, QLinearConv and QLinearMatMul.
#pragma once
#include <lowering/node_values.hpp>
#include <lowering/quantisation.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
// In 8 bits by itself: behind each of its tensors it reads that one's scale and zero point.
inline bool is_linear(const node_view& n) {
    return n.record.domain.empty() && (n.record.op == "QLinearConv" || n.record.op == "QLinearMatMul");
}
// Which inputs of a convolution or product they are.
inline int weights_of(const node_view& n) { return is_linear(n) ? 3 : 1; }
inline int bias_of(const node_view& n) { return is_linear(n) ? 8 : 2; }

// Who makes and reads the values of a graph, and what those of 8 bits stand for. XNNPACK gets signed elements: of
// unsigned ones, 128 is taken away at a region's borders, and from their zero points here.
class quantised_graph {
    const graph_view& g_;
    const constant_source* constants_;
    value_nodes value_nodes_;
    std::vector<int> decoder_;  // the first node that reads the value and says what it stands for

    std::optional<quantisation> read(const node_view&) const;  // of a node that decodes or encodes
    std::optional<quantisation> read_linear(const node_view&, element, int scale) const;
    // Why the value of 8 bits cannot be input k of a node that has it as `q`; empty: it can.
    std::string refuse_input(int k, int value, const std::optional<quantisation>& q) const;
    std::string refuse_linear(const node_view&) const;
    bool read_by_another(int value, const std::vector<char>& nodes) const;  // by a node that is none of these

  public:
    struct neighbours {
        std::string why;            // the node is not computed in 8 bits; empty: it is
        std::vector<int> before{};  // the nodes that decode its inputs, if any do
        int behind = -1;            // the one that encodes its output, if one does
    };

    quantised_graph(const graph_view&, const constant_source*);
    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    bool decodes(int i) const { return g_.nodes[std::size_t(i)].op == "DequantizeLinear"; }
    bool encodes(int i) const { return g_.nodes[std::size_t(i)].op == "QuantizeLinear"; }
    // The node has to be computed in 8 bits: it reads what is decoded while it runs, or is in 8 bits by itself.
    bool concerns_bytes(int i) const;
    // Of a value of 8 bits: what its maker says, else its first reader; of a decoded one: of that which was decoded.
    std::optional<quantisation> of(int value) const;
    // Of input k of a node that is computed in 8 bits, as the node has it.
    std::optional<quantisation> of_input(const node_view&, int k) const;
    std::vector<float> bias_scales(const node_view&) const;  // one, or one for each channel
    // Of a node whose weights are symmetric: their signed codes, where somebody has them.
    std::vector<std::int32_t> weight_codes(const node_view&) const;
    // What the integers of a node that is in 8 bits by itself stand for: of its weights or its bias.
    std::vector<float> decoded(const node_view&, int k) const;
    // The value of 8 bits of a node that decodes or encodes.
    int byte_value(int i) const { return encodes(i) ? view(i).output_id(0) : view(i).input_id(0); }
    // What XNNPACK takes of a graph.
    struct taken_parts {
        std::vector<char> nodes, bytes;  // bytes: values of 8 bits that nodes of it make or read
        explicit taken_parts(const graph_view& g) : nodes(g.nodes.size(), 0), bytes(g.values.size(), 0) {}
    };
    void add(taken_parts&, int node, const neighbours&) const;
    // Why a node that decodes or encodes is not taken where it is nobody's neighbour; empty: it stands between floats
    // and what is computed in 8 bits, and nobody else needs it.
    std::string refuse_border(int i, const taken_parts&) const;
    // `there`: for each node, whether it may be a neighbour.
    neighbours neighbours_of(int node, const std::vector<char>& there) const;
    // Somebody reads the value as floats: a node that is not computed in 8 bits, or one outside.
    bool wanted_as_floats(int value, const std::vector<char>& in_bytes) const;
};
}  // namespace v1
}  // namespace inlay
