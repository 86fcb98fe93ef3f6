// unflatten_gemm: Reshape to a matrix, Gemm, Reshape back become MatMul and Add over the leading axes, which later
// fusions know.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
// The leading axes of a and b are the same, known or by name, all but the last axis.
static bool same_leading(const shape& a, const shape& b) {
    if (a.rank != b.rank || a.rank < 2) return false;
    for (int i = 0; i + 1 < a.rank; ++i)
        if (a[i] == -1 || a[i] != b[i]) return false;
    return true;
}

int unflatten_gemm(graph_data& g, const evaluator&) {
    rewriter r(g);
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const int flat = r.input(g.nodes[i], 0), before = flat < 0 ? -1 : r.maker(flat), c = r.input(g.nodes[i], 2),
                  y = r.output(g.nodes[i]);
        if (!is(g.nodes[i], "Gemm") || before < 0 || c < 0 || y < 0 || !is(g.nodes[std::size_t(before)], "Reshape") ||
            r.is_output(y) || r.users(y).size() != 1)
            continue;
        const int after = r.users(y)[0], x = r.input(g.nodes[std::size_t(before)], 0),
                  z = r.output(g.nodes[std::size_t(after)]);
        if (!is(g.nodes[std::size_t(after)], "Reshape") || r.input(g.nodes[std::size_t(after)], 0) != y || x < 0 ||
            z < 0)
            continue;
        const node& n = g.nodes[i];
        if (r.integer(n, "transA", 0) || r.integer(n, "transB", 0) || r.real(n, "alpha", 1) != 1 ||
            r.real(n, "beta", 1) != 1)
            continue;
        const auto dims = [&](int v) -> const shape& { return g.values[std::size_t(v)].dims; };
        const int w = r.input(n, 1);
        if (dims(w).rank != 2 || dims(c).rank != 1 || dims(c)[0] < 0 || dims(c)[0] != dims(w)[1] ||
            !same_leading(dims(x), dims(z)))
            continue;
        if (dims(x)[dims(x).rank - 1] < 0 || dims(x)[dims(x).rank - 1] != dims(w)[0] ||
            dims(z)[dims(z).rank - 1] != dims(w)[1])
            continue;
        const auto become = [&](node& m, std::string_view op, int version, int a, int b) {
            m.op = g.intern(op);
            m.version = version;
            m.attributes = {};
            m.inputs = g.add_edges({a, b});
        };
        become(g.nodes[i], "MatMul", 13, x, w);
        become(g.nodes[std::size_t(after)], "Add", 14, y, c);
        g.values[std::size_t(y)].dims = dims(z);
        ++count;
    }
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
