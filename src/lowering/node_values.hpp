// The values of a graph's nodes, as providers look at them.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
// What `refusal_of` says of the first input or output of a node that it refuses; empty: it refuses none.
template <class Why> std::string refusal_of_values(const node_view& n, Why refusal_of) {
    for (int k = 0; k < n.input_count() + n.output_count(); ++k) {
        const int id = k < n.input_count() ? n.input_id(k) : n.output_id(k - n.input_count());
        if (id < 0) continue;
        if (std::string reason = refusal_of(n.graph.values[std::size_t(id)]); !reason.empty()) return reason;
    }
    return {};
}
// Whether it is this operator, which of another domain than ai.onnx is written com.microsoft:Name.
inline bool is_named(const node& n, std::string_view name) {
    const std::size_t colon = name.find(':');
    if (colon == name.npos) return n.domain.empty() && n.op == name;
    return n.domain == name.substr(0, colon) && n.op == name.substr(colon + 1);
}
inline bool has_no_elements(const value& v) { return v.dims.known() && v.dims.elements() == 0; }

// Which node of a graph makes each value, and which one alone reads it.
class value_nodes {
    std::vector<int> maker_, reader_;

  public:
    explicit value_nodes(const graph_view& g) : maker_(g.values.size(), -1), reader_(g.values.size(), -1) {
        for (int i = 0; i < int(g.nodes.size()); ++i) {
            const node& n = g.nodes[std::size_t(i)];
            for_each_read(g, n, [&](int v) { reader_[std::size_t(v)] = reader_[std::size_t(v)] == -1 ? i : -2; });
            for (int v : g.list(n.outputs))
                if (v >= 0) maker_[std::size_t(v)] = i;
        }
        for (int v : g.outputs) reader_[std::size_t(v)] = -2;
    }
    int maker(int value) const { return maker_[std::size_t(value)]; }         // -1: none
    int only_reader(int value) const { return reader_[std::size_t(value)]; }  // -1: none; -2: several, or who runs it
};
}  // namespace v1
}  // namespace inlay
