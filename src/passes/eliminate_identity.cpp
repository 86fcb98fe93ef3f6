// eliminate_identity: nodes whose output has the type, shape and elements of their input.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
static bool passes_through(const rewriter& r, const graph_view& g, const node& n) {
    const value* x = r.input_value(n, 0);
    if (!x || r.output(n) < 0) return false;
    const value& y = r.g.values[std::size_t(r.output(n))];
    if (x->type != y.type || x->type == element::undefined) return false;
    for (int k = 1; k < n.outputs.count; ++k)
        if (const int v = r.output(n, k); v >= 0 && (r.is_output(v) || !r.users(v).empty())) return false;
    const operator_record& about = operator_of(n);
    return about.passes_through && about.passes_through(node_view{g, n});
}

int eliminate_identity(graph_data& g, const evaluator&) {
    rewriter r(g);
    const graph_view view = g.view();
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        if (!passes_through(r, view, n)) continue;
        const int y = r.output(n), x = r.now(r.input(n, 0)), maker = r.maker(x);
        if (!r.is_output(y)) {
            r.replace(y, x);
            if (g.values[std::size_t(x)].dims.rank < 0) g.values[std::size_t(x)].dims = g.values[std::size_t(y)].dims;
        } else {  // outputs keep their names: the node that produces x produces y instead
            if (maker < 0 || r.is_output(x) || r.dropped(maker)) continue;
            for (int& v : r.list(g.nodes[std::size_t(maker)].outputs))
                if (v == x) v = y;
            if (g.values[std::size_t(y)].dims.rank < 0) g.values[std::size_t(y)].dims = g.values[std::size_t(x)].dims;
            r.replace(x, y);
        }
        r.drop(int(i));
        ++count;
    }
    r.apply();
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
