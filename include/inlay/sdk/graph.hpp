// The graph as plain literal records: spans over vectors at run time, over constexpr arrays in the compiler.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/value_type.hpp>
#include <optional>
#include <span>

namespace inlay {
inline namespace v1 {
enum class layout : std::uint8_t {  // a value has one of the first two; only kernels use `any`
    plain,
    channels_last,
    any
};

struct range {
    int first = 0, count = 0;
};

enum class contents : std::uint8_t { none, integers, reals, texts };
struct value {
    std::string_view name;
    element type = element::undefined;
    shape dims = shape::unknown();
    int constant = -1;               // index into the model's constants, or -1
    contents kind = contents::none;  // of a small constant, or of any tensor that is an attribute: its elements,
                                     // readable by shape rules, prepare() and, of attributes, bind()
    range list{};                    // in the graph's integers, reals or texts
    int container = -1;  // of a sequence, map or optional whose contents are known: its type in the graph's list
    constexpr bool is_constant() const { return constant >= 0; }
};
constexpr value_type type_of(const value& v, std::span<const value_type> containers) {
    return v.container >= 0 ? containers[std::size_t(v.container)] : value_type{v.type, v.dims};
}

// Those of the values that are there, -1 being absent, are constants.
constexpr bool all_constant(std::span<const value> values, std::span<const int> ids) {
    for (int v : ids)
        if (v >= 0 && !values[v].is_constant()) return false;
    return true;
}

enum class attribute_kind : std::uint8_t { integer, real, text, integers, reals, texts, tensor, graph };
struct attribute {
    std::string_view name;
    attribute_kind kind = attribute_kind::integer;
    std::int64_t integer = 0;  // also: the value id of a tensor, the index of a subgraph
    double real = 0;
    std::string_view text{};
    range list{};  // in the graph's integers, reals or texts
};

struct node {
    std::string_view name, domain, op;  // domain "" is ai.onnx
    int version = 0;                    // of the operator's schema, as resolved from the model's opset
    range attributes{}, inputs{}, outputs{};
    range sources{};   // fused nodes: the nodes that this one replaces, ascending
    range captures{};  // control flow: outer values that the subgraphs read
};

enum class precision : std::uint8_t {  // of float32 matmuls and convolutions; values between nodes, and all
                                       // accumulators, are float32 in each
    standard,
    strict,   // as standard without Winograd's F(4x4, 3x3): errors stay those of direct accumulation
    bfloat16  // constant weights are kept as bf16; instruction sets
              // with bf16 dot products round the other operand too
};
constexpr std::string_view name_of(precision p) {
    constexpr std::string_view names[] = {"standard", "strict", "bfloat16"};
    return names[int(p)];
}

// An input that the model returns as an output with more rows, such as the keys of a decoder: one memory may hold
// both.
struct growth {
    int past = -1, present = -1;  // values
    int axis = 0;                 // along which present is past and then the new rows
    std::int64_t room = 0;        // capacity of the memory, in rows
};

struct graph_view {
    std::span<const node> nodes{};  // in topological order
    std::span<const node> fused{};  // candidates; each may replace its sources
    std::span<const value> values{};
    std::span<const attribute> attributes{};
    std::span<const int> edges{};              // value ids (-1: absent) and source node ids, referred to by the ranges
    std::span<const int> inputs{}, outputs{};  // value ids
    std::span<const std::int64_t> integers{};
    std::span<const double> reals{};
    std::span<const std::string_view> texts{};
    std::span<const graph_view> subgraphs{};      // inputs: the formal ones, then one per capture of their node
    std::span<const std::string_view> symbols{};  // names of symbolic dimensions
    std::string_view name{};
    inlay::precision precision = precision::standard;  // the requested one: kernels read it in prepare()
    std::span<const growth> growths{};                 // in a run with a cache
    std::span<const value_type> containers{};          // types of values that are no tensors
    constexpr int units() const {
        return int(nodes.size() + fused.size());
    }  // a unit is a node, or a fused node after them
    constexpr const node& unit(int u) const { return u < int(nodes.size()) ? nodes[u] : fused[u - nodes.size()]; }
    constexpr std::span<const int> list(range r) const { return edges.subspan(r.first, r.count); }
    constexpr value_type type_of(int id) const { return v1::type_of(values[id], containers); }
};

// Values that nodes read besides their inputs count too: what control flow captures.
template <class F> constexpr void for_each_read(const graph_view& g, const node& n, F f) {
    for (int v : g.list(n.inputs))
        if (v >= 0) f(v);
    for (int v : g.list(n.captures)) f(v);
}

// One node as kernels see it: attributes and shapes by name and position. Layouts are those of the step's actual
// arguments; none means all plain. Pitches: 0, or the elements from one pixel to the next of an argument that is a
// slice of the channels of another value; below 0: the same of float32 kept as bf16; where it is plain, from one matrix
// to the next with capacity for more rows between them.
struct node_view {
    const graph_view& graph;
    const node& record;
    const layout* layouts = nullptr;          // inputs, then outputs
    std::span<const std::int64_t> pitches{};  // a test of a pointer is no constant under gcc 12's sanitizers

    constexpr int version() const { return record.version; }
    constexpr int input_count() const { return record.inputs.count; }
    constexpr int output_count() const { return record.outputs.count; }
    constexpr int input_id(int k) const { return k < record.inputs.count ? graph.edges[record.inputs.first + k] : -1; }
    constexpr int output_id(int k) const {
        return k < record.outputs.count ? graph.edges[record.outputs.first + k] : -1;
    }
    constexpr bool has_input(int k) const { return input_id(k) >= 0; }
    constexpr bool has_output(int k) const { return output_id(k) >= 0; }
    constexpr const value& input(int k) const { return graph.values[input_id(k)]; }  // only where has_input(k)
    constexpr const value& output(int k) const { return graph.values[output_id(k)]; }
    constexpr element input_type(int k) const { return has_input(k) ? input(k).type : element::undefined; }
    constexpr bool is_constant(int k) const { return has_input(k) && input(k).is_constant(); }
    constexpr bool are_constant(unsigned inputs) const {  // a bit per input: all of them that the node has
        for (int k = 0; k < input_count() && k < 32; ++k)
            if (inputs >> k & 1 && has_input(k) && !is_constant(k)) return false;
        return true;
    }
    constexpr layout input_layout(int k) const { return layouts ? layouts[k] : layout::plain; }
    constexpr layout output_layout(int k) const { return layouts ? layouts[record.inputs.count + k] : layout::plain; }
    constexpr std::int64_t input_pitch(int k) const { return pitches.empty() ? 0 : pitches[std::size_t(k)]; }
    constexpr std::int64_t output_pitch(int k) const {
        return pitches.empty() ? 0 : pitches[std::size_t(record.inputs.count + k)];
    }

    constexpr int position(std::string_view name) const {  // of an attribute in the graph's list, or -1
        for (int i = record.attributes.first; i < record.attributes.first + record.attributes.count; ++i)
            if (graph.attributes[i].name == name) return i;
        return -1;
    }
    constexpr int position(std::string_view name, attribute_kind kind) const {
        const int i = position(name);
        return i >= 0 && graph.attributes[i].kind == kind ? i : -1;
    }
    constexpr bool has(std::string_view name) const { return position(name) >= 0; }
    constexpr const attribute* find(std::string_view name) const {
        const int i = position(name);
        return i < 0 ? nullptr : &graph.attributes[i];
    }
    constexpr std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
        const int i = position(name, attribute_kind::integer);
        return i < 0 ? otherwise : graph.attributes[i].integer;
    }
    constexpr double real(std::string_view name, double otherwise) const {
        const int i = position(name, attribute_kind::real);
        return i < 0 ? otherwise : graph.attributes[i].real;
    }
    constexpr std::string_view text(std::string_view name, std::string_view otherwise) const {
        const int i = position(name, attribute_kind::text);
        return i < 0 ? otherwise : graph.attributes[i].text;
    }

  private:  // before those that call it, or clang 14 to 16 refuse it in constant expressions
    template <class T>
    constexpr std::span<const T> list_of(std::string_view name, attribute_kind kind, std::span<const T> pool) const {
        const int i = position(name, kind);
        return i < 0 ? std::span<const T>{}
                     : pool.subspan(graph.attributes[i].list.first, graph.attributes[i].list.count);
    }

  public:
    constexpr std::span<const std::int64_t> integers(std::string_view name) const {
        return list_of(name, attribute_kind::integers, graph.integers);
    }
    constexpr std::span<const double> reals(std::string_view name) const {
        return list_of(name, attribute_kind::reals, graph.reals);
    }
    constexpr std::span<const std::string_view> texts(std::string_view name) const {
        return list_of(name, attribute_kind::texts, graph.texts);
    }
    constexpr const value* tensor(std::string_view name) const {
        const int i = position(name, attribute_kind::tensor);
        return i < 0 ? nullptr : &graph.values[graph.attributes[i].integer];
    }

    // The elements of input k, where it is a small constant (or known while planning); nothing where it is absent or
    // not known.
    constexpr std::optional<std::span<const std::int64_t>> input_integers(int k) const {
        return has_input(k) ? integers_of(input(k)) : std::nullopt;
    }
    constexpr std::optional<std::span<const double>> input_reals(int k) const {
        return has_input(k) ? reals_of(input(k)) : std::nullopt;
    }
    constexpr std::optional<std::span<const std::int64_t>> integers_of(const value& v) const {
        if (v.kind != contents::integers) return std::nullopt;
        return graph.integers.subspan(v.list.first, v.list.count);
    }
    constexpr std::optional<std::span<const double>> reals_of(const value& v) const {
        if (v.kind != contents::reals) return std::nullopt;
        return graph.reals.subspan(v.list.first, v.list.count);
    }
    constexpr std::optional<std::span<const std::string_view>> texts_of(const value& v) const {
        if (v.kind != contents::texts) return std::nullopt;
        return graph.texts.subspan(v.list.first, v.list.count);
    }
    // Every input and output shape is known, which supports() and prepare() may rely on.
    constexpr bool complete() const {
        for (int k = 0; k < input_count(); ++k)
            if (has_input(k) && input(k).type != element::object && !input(k).dims.known()) return false;
        for (int k = 0; k < output_count(); ++k)
            if (has_output(k) && output(k).type != element::object && !output(k).dims.known()) return false;
        return true;
    }
};

// Steps between neighbours along each axis, in elements: of a dense tensor of these dims in this layout, or of one with
// `pitch` elements from one pixel, or from one plain matrix, to the next.
constexpr shape strides_of(const shape& dims, layout l, std::int64_t pitch = 0) {
    shape s = shape::of_rank(dims.rank);
    if (dims.rank < 1) return s;
    std::int64_t step = 1;
    if (l == layout::channels_last && dims.rank >= 3) {
        s[1] = 1;
        step = pitch ? pitch : dims[1];
        for (int i = dims.rank - 1; i >= 2; --i) {
            s[i] = step;
            step = checked_product(step, dims[i]);
        }
        s[0] = step;
    } else
        for (int i = dims.rank - 1; i >= 0; --i) {
            s[i] = step;
            step = pitch && i == dims.rank - 2 ? pitch : checked_product(step, dims[i]);
        }
    return s;
}
}  // namespace v1
}  // namespace inlay
