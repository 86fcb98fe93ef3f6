// eliminate_identity: nodes whose output has the type, shape and elements of their input.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
static bool passes_through(const rewriter& r, const node& n) {
    const value* x = r.input_value(n, 0);
    if (!x || r.output(n) < 0 || !n.domain.empty()) return false;
    const value& y = r.g.values[std::size_t(r.output(n))];
    if (x->type != y.type || x->type == element::undefined) return false;
    if (n.op == "Identity") return true;
    if (n.op == "Cast") return x->type != element::object;
    if (n.op == "Dropout") {
        if (n.version < 7 || (r.output(n, 1) >= 0 && (r.is_output(r.output(n, 1)) || !r.users(r.output(n, 1)).empty())))
            return false;
        const int mode = r.input(n, 2);
        const value* v = r.input_value(n, 2);
        return mode < 0 ||
               (v->kind == contents::integers && v->list.count == 1 && r.g.integers[std::size_t(v->list.first)] == 0);
    }
    if (n.op == "Concat" || n.op == "Sum" || n.op == "Max" || n.op == "Min" || n.op == "Mean")
        return n.inputs.count == 1;
    if (n.op == "Reshape" || n.op == "Flatten" || n.op == "Expand") return same_dims(x->dims, y.dims);
    if (n.op == "Transpose") {
        const attribute* perm = r.find(n, "perm");
        if (!perm || perm->kind != attribute_kind::integers) return x->dims.rank == 0 || x->dims.rank == 1;
        for (int i = 0; i < perm->list.count; ++i)
            if (r.g.integers[std::size_t(perm->list.first + i)] != i) return false;
        return true;
    }
    return false;
}

int eliminate_identity(graph_data& g, const evaluator&) {
    rewriter r(g);
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        if (!passes_through(r, n)) continue;
        const int y = r.output(n), x = r.now(r.input(n, 0)), maker = r.maker(x);
        if (!r.is_output(y)) {
            r.replace(y, x);
            if (g.values[std::size_t(x)].dims.rank < 0) g.values[std::size_t(x)].dims = g.values[std::size_t(y)].dims;
        } else {  // outputs keep their names: the node that makes x makes y instead
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
