// What libraries compute on integers of 8 bits: nodes whose inputs are dequantized from them and whose results are
// encoded.
#pragma once
#include "node_values.hpp"
#include "quantisation.hpp"
#include <array>

namespace inlay {
inline namespace v1 {
namespace lowering {
// Operators that say what integers of 8 bits stand for: of some inputs, which their scales and zero points follow, and
// of the result.
struct byte_operator {
    std::string_view name;      // of another domain than ai.onnx: com.microsoft:Name
    std::array<int, 2> inputs;  // or -1
    int result_scale;           // the input that it is, or -1
};
const byte_operator* find_byte_operator(const node&);  // null: it is none
bool is_byte_operator(std::string_view name);

// Of a graph: which node makes and which reads each value, and what those of 8 bits stand for.
class byte_graph {
    const graph_view& g_;
    const constant_source* constants_;
    value_nodes value_nodes_;
    std::vector<std::pair<int, int>> candidates_;  // of fusion: the last source and the unit, ascending
    struct statement {
        int node = -1, scale = -1;
    };
    std::vector<statement> read_by_;  // by value: the first node that says what it stands for

  public:
    byte_graph(const graph_view&, const constant_source*);
    node_view view(int i) const { return {g_, g_.nodes[std::size_t(i)]}; }
    bool dequantizes(int i) const { return view(i).record.domain.empty() && view(i).record.op == "DequantizeLinear"; }
    bool quantizes(int i) const { return view(i).record.domain.empty() && view(i).record.op == "QuantizeLinear"; }
    int maker(int value) const { return value_nodes_.maker(value); }
    int only_reader(int value) const { return value_nodes_.only_reader(value); }  // or negative
    // The candidates of fusion whose last source is one of these nodes, in the graph's order of candidates.
    std::vector<int> candidates_ending_in(std::span<const int> nodes) const;
    bool read_by_another(int value, const std::vector<char>& nodes) const;  // by a node that is none of these
    // What a node that quantizes or dequantizes says of the value of 8 bits; nothing: not one scale that is known.
    std::optional<quantisation> said_by(int node) const;
    // What a node says by its input `scale`, of integers of this type.
    std::optional<quantisation> said_by(int node, element, int scale) const;
    // Of a value of 8 bits: as its maker says, else the first node that reads it so.
    std::optional<quantisation> of(int value) const;
    // Of weights: what they were dequantized from, if they were.
    std::optional<quantisation> of_constant(int value) const;
};

// Which of a region's nodes are computed in 8 bits.
struct byte_nodes {
    const byte_graph* graph = nullptr;
    std::vector<char> in_bytes, absorbed;  // absorbed: quantizes what such a node already gives in 8 bits
    std::vector<int> source;               // by value: itself, or the value of 8 bits in its place
    std::vector<int> like;  // by value: that of 8 bits whose scale it has, itself floats in the model; or -1
    byte_nodes(const graph_view& g, const byte_graph& b)
        : graph(&b),
          in_bytes(g.nodes.size(), 0),
          absorbed(g.nodes.size(), 0),
          source(g.values.size()),
          like(g.values.size(), -1) {
        for (std::size_t v = 0; v < source.size(); ++v) source[v] = int(v);
    }
};
// The nodes around one, in ascending order with it, that make it one of 8 bits.
struct surrounding {
    std::string reason{};  // there are none; empty: there are
    std::vector<int> nodes{};
    std::vector<std::pair<int, int>> sources{};  // values, and those of 8 bits in their places
    int quantizer = -1;                          // or -1: its result stays floats
    int limiter = -1, limited = -1;              // a node before the quantizer that cuts the value `limited`; or none
    void add_to(byte_nodes& bytes, int node) const {
        set(bytes, node, 1);
        for (const auto& [value, source] : sources) bytes.source[std::size_t(value)] = source;
        if (limiter < 0) return;
        bytes.in_bytes[std::size_t(limiter)] = 1;
        bytes.like[std::size_t(limited)] = sources.back().second;
    }
    void remove_from(byte_nodes& bytes, int node) const {
        set(bytes, node, 0);
        for (const auto& [value, source] : sources) bytes.source[std::size_t(value)] = value;
        if (limiter < 0) return;
        bytes.in_bytes[std::size_t(limiter)] = 0;
        bytes.like[std::size_t(limited)] = -1;
    }
    void set(byte_nodes& bytes, int node, char to) const {
        bytes.in_bytes[std::size_t(node)] = to;
        if (quantizer >= 0) bytes.absorbed[std::size_t(quantizer)] = to;
    }
    // What ask(nodes, floats) gives while the node alone is computed in 8 bits; `floats` are as before then.
    template <class F> auto ask_alone(byte_nodes& floats, int node, const F& ask) const {
        add_to(floats, node);
        auto answer = ask(std::span<const int>(nodes), std::as_const(floats));
        remove_from(floats, node);
        return answer;
    }
};
// candidates: for each node, whether it may be one of them. gives_floats: only what it reads has to be of 8 bits.
surrounding surround(const byte_graph&, int node, const std::vector<char>& candidates, bool gives_floats = false);
// The nodes that `is_supported` accepts: it is called with each node and those around it, as a region; then with those
// around a matmul or convolution whose result is float32, where the library supports such.
byte_nodes find_bytes(const graph_view&, const byte_graph&, std::span<const int> nodes,
                      const std::function<bool(std::span<const int>, const byte_nodes&)>& is_supported,
                      bool gives_floats = false);
bool is_product(const node&);  // whose floats may be of integers of 8 bits
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
