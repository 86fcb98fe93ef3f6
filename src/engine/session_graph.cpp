#include "session_graph.hpp"

namespace inlay {
inline namespace v1 {
session_graph::session_graph(const graph_data& g, const graph_view& v, const std::vector<provider_handle>& handles)
    : data(g), view(v), handles_(handles) {
    apply_shape_rules();
}
const entry* session_graph::rule_for(const node& n) const {
    for (const provider_handle& h : handles_)
        if (h.kernels)
            if (const entry* e = find_entry(*h.kernels, n)) return e;
    return find_entry(reference_kernels(), n);
}

// Kernels, those of fused nodes too, are queried only about shapes that the operators' rules confirm; a file may
// declare others, or a data-dependent shape.
void session_graph::apply_shape_rules() {
    values_.assign(view.values.begin(), view.values.end());
    view.values = values_;
    std::vector<char> is_refused(values_.size());
    std::vector<shape> y;
    for (const node& n : view.nodes) {
        const node_view v{view, n};
        bool complete =
            std::ranges::none_of(view.list(n.inputs), [&](int id) { return id >= 0 && is_refused[std::size_t(id)]; });
        const entry* e = complete && v.complete() ? rule_for(n) : nullptr;
        y.assign(std::size_t(n.outputs.count), shape::unknown());
        for (int k = 0; e && k < e->required_inputs; ++k) complete &= v.has_input(k);
        if (e && complete) complete = bool(e->shapes(v, y));
        for (int k = 0; k < n.outputs.count; ++k)
            if (const int id = v.output_id(k); id >= 0) {
                is_refused[std::size_t(id)] = !complete;
                if (e || !complete) values_[std::size_t(id)].dims = y[std::size_t(k)];
            }
    }
}
}  // namespace v1
}  // namespace inlay
