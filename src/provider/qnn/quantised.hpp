// Nodes between DequantizeLinear and QuantizeLinear, which QNN computes on the codes themselves.
#pragma once
#include <provider/node_values.hpp>
#include <provider/quantisation.hpp>

namespace inlay {
inline namespace v1 {
class coded_graph {
  public:
    // What a node that is computed on codes has around it.
    struct neighbours {
        std::vector<int> nodes{};  // all that have to be beside it, and itself; ascending. Empty: it is not
        bool coded() const { return !nodes.empty(); }
    };
    // `there`: for each node, whether it may be part of what is computed on codes.
    coded_graph(const graph_view&, std::span<const int> there, const constant_source*);

    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    bool decodes(int i) const { return g_.nodes[std::size_t(i)].op == "DequantizeLinear"; }
    bool encodes(int i) const { return g_.nodes[std::size_t(i)].op == "QuantizeLinear"; }
    int maker(int value) const { return value_nodes_.maker(value); }
    const neighbours& around(int i) const { return around_[std::size_t(i)]; }
    // Of a value of 8 bits: what its maker says, else the first node that decodes it; nothing where that is not known.
    std::optional<quantisation> of(int value) const;
    // Of a constant of floats that is decoded from codes.
    std::optional<quantisation> of_constant(int value) const;
    // Of a node that is computed on codes: the values that its tensors are of. That is one of 8 bits; or, between it
    // and a node that limits its result, the one of floats, which then is in codes of the scale of `codes_of`.
    int key_of_input(const node_view&, int k) const;
    int key_of_output(const node_view&) const;
    int codes_of(int value) const { return codes_[std::size_t(value)]; }
    std::optional<quantisation> of_input(const node_view&, int k) const;
    // Of a node that decodes or encodes: whether what it does is known.
    bool is_readable(int i) const;

  private:
    const graph_view& g_;
    const constant_source* constants_;
    std::vector<char> there_;
    value_nodes value_nodes_;
    std::vector<int> decoder_;  // the first node that decodes the value
    std::vector<int> codes_;
    std::vector<neighbours> around_;

    void look_around(int i);
    bool read_inputs(const node_view&, std::vector<int>& nodes) const;
    int encoder_behind(int i, std::vector<int>& nodes) const;
    int only_reader(const node_view&) const;
};
}  // namespace v1
}  // namespace inlay
