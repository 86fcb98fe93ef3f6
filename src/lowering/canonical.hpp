// Nodes of ONNX as primitives.
#pragma once
#include "bytes.hpp"
#include "primitive.hpp"
#include "refusal.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
struct convolution_axes;
namespace lowering {
// Throws refused_node with the reason of a verdict that is no.
inline void require(const verdict& v) {
    if (!v) refuse(std::string(v.reason));
}
// Ids for what lies between primitives.
struct fresh_ids {
    int next;
    operand operator()(const shape& dims, const operand& like) {
        operand t = like;
        t.id = next++;
        t.dims = dims;
        t.order = layout::plain;
        t.constant = t.never_negative = false;
        t.elements = nullptr;
        return t;
    }
    // Of the type of `like`, or of floats where that is quantized.
    operand constant(const shape& dims, const operand& like, std::function<std::vector<float>()> elements) {
        operand t{next++, dims, like.is_quantized() ? element::f32 : like.type};
        t.constant = true;
        t.elements = std::move(elements);
        return t;
    }
    operand number(float x, const operand& like) {  // one element, which broadcasts
        return constant({1}, like, [x] { return std::vector{x}; });
    }
};

// A value of the graph.
operand operand_of(const graph_view&, const byte_graph&, int id);

// A node, or a candidate of fusion, that is lowered.
class node_lowering {
    const region& r_;
    const byte_nodes& bytes_;
    const rule_set& rules_;
    fresh_ids& ids_;
    bool quantized_;
    std::vector<primitive> primitives_{}, behind_{};

    int source(int id) const { return is_quantized() && id >= 0 ? bytes_.source[std::size_t(id)] : id; }

  public:
    const node_view n;

    node_lowering(const region& r, const byte_nodes& b, const rule_set& rules, fresh_ids& ids, int unit)
        : r_(r),
          bytes_(b),
          rules_(rules),
          ids_(ids),
          quantized_(unit < int(r.graph.nodes.size()) && b.in_bytes[std::size_t(unit)]),
          n{r.graph, r.graph.unit(unit)} {}
    // A library that has an operator whole gets it so.
    bool library_has(kind k) const { return rules_.has(k); }
    bool has_short_places() const { return rules_.tensors.short_places; }
    bool is_quantized() const { return quantized_; }
    operand value(int id) const;
    operand input(int k) const;
    operand input(int k, const shape&);  // the same elements
    std::optional<operand> optional_input(int k) const {
        return n.has_input(k) ? std::optional(input(k)) : std::nullopt;
    }
    // Weights: what they are made of too, where the node is computed in 8 bits.
    operand weights(int k) const;
    // The same of an operator on integers of 8 bits, whose input k they are, followed by their scales.
    operand byte_input(int k) const;
    operand byte_weights(int k) const;
    operand result(int k = 0) const;
    operand result(const shape&, int k = 0);  // what then gets the shape that the model has
    // The same; one that no node reads where the node has no such result.
    operand optional_result(int k, const shape&, element);
    operand between(const shape& dims, const operand& like) { return ids_(dims, like); }
    operand constant(const shape& dims, std::function<std::vector<float>()> f) {
        return ids_.constant(dims, {.type = n.input(0).type}, std::move(f));
    }
    operand number(float x, const operand& like) { return ids_.number(x, like); }
    void add(primitive p) { primitives_.push_back(std::move(p)); }
    void add_same() { add(reshape_prim{input(0), result()}); }
    std::vector<primitive> finish();

    std::function<std::vector<float>()> copy_of(int k) const;             // of an input that is a constant
    std::function<std::vector<std::int32_t>()> integers_of(int k) const;  // the same, of 32 bits
    bool has_constant_floats(int k) const { return n.is_constant(k) && is_float(n.input(k).type); }
    void require_constant(int k, std::string_view name) const;  // of floats
    void require_floats() const;                                // it is not computed in 8 bits
    bool is_wanted(int k) const;                                // output k is read
    // The indices that are input 1, where they are known, from the begin of what they are of: the k-th is into
    // lengths[k % lengths.size()].
    std::optional<integers> known_places(const integers& lengths) const;
    bool only_first_output() const;
    float real(std::string_view name, double otherwise) const { return float(n.real(name, otherwise)); }
};
// How an operator of ONNX becomes primitives, and of which kind.
struct source {
    std::string_view op;
    kind of;
    int function_index;  // of the kind; -1: any
    void (*lower)(node_lowering&);
    bool unrolled = false;  // step by step, where the library has it not whole and the rules say so
    bool floats = false;    // never in 8 bits
};
std::span<const source> window_sources();
std::span<const source> element_wise_sources();
std::span<const source> movement_sources();
std::span<const source> byte_sources();
void lower_quantize_blocks(node_lowering&);
void lower_quantized_conv(node_lowering&);
void lower_quantized_matmul(node_lowering&);
void lower_steps_of_gru(node_lowering&);
void lower_steps_of_lstm(node_lowering&);
std::span<const source> axis_sources();
std::span<const source> index_sources();
std::span<const source> quantized_sources();
std::span<const source> normalization_sources();
std::span<const source> recurrent_sources();
std::span<const source> fused_sources();  // candidates of fusion, which are no operators of ONNX
const source* find_source(const node&);   // null: the operator is no primitive
std::vector<source> all_sources();

// Of a node or a candidate of fusion. Throws refused_node. None: the node is a quantizer whose result is there, or
// dequantizes, which is done where it is read.
std::vector<primitive> primitives_of(const region&, const byte_nodes&, const rule_set&, fresh_ids&, int unit);

// The windows of a convolution, padded behind as far as those at all outputs reach.
std::vector<window_axis> windows_of(const convolution_axes&);

// What a library that lacks a primitive may have instead; empty: nothing.
std::vector<primitive> expanded(const primitive&, fresh_ids&);
// The same, of a kind: what it takes, for the table.
struct expansion {
    kind of;
    int function_index;
    std::vector<std::pair<kind, int>> needs;
};
std::span<const expansion> expansions();
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
