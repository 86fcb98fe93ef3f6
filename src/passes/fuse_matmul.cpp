// fuse_matmul: MatMul, a bias per column, a residual and an activation, as candidates.
//   FusedMatMul(A, B, C or -1, Z or -1) = activation(A B + C + Z), where C is one number per column and Z has the shape of the result,
// with the text `activation` (empty: none) and the reals `activation_params`.
#include "fuse.hpp"

namespace inlay::inline v1::passes {
int fuse_matmul(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> all;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        if (!is(n, "MatMul") || !is_float(r, r.input(n, 0)) || dims_of(r, r.input(n, 0)).rank < 2 || dims_of(r, r.input(n, 1)).rank < 2) continue;
        const shape& y = dims_of(r, r.output(n));
        if (y.rank < 2) continue;
        candidate c{{int(i)}, {r.input(n, 0), r.input(n, 1), -1, -1}, r.output(n), {}};
        const auto offer = [&](bool alone) {
            if (auto a = activation_of(r, c.output)) all.push_back({joined(c.nodes, a->nodes), c.inputs, a->output, with_activation(r, {}, *a)});
            if (alone) all.push_back({c.nodes, c.inputs, c.output, with_activation(r, {}, {})});
        };
        const auto sum_with = [&](int place, auto fits) {  // an Add whose other operand fits
            const int add = only_user(r, c.output);
            if (add < 0 || !is(g.nodes[std::size_t(add)], "Add") || g.nodes[std::size_t(add)].version < 7 || r.output(g.nodes[std::size_t(add)]) < 0) return false;
            const int other = other_input(r, g.nodes[std::size_t(add)], c.output);
            if (other < 0 || !is_float(r, other) || !fits(dims_of(r, other))) return false;
            c.nodes.push_back(add);
            c.inputs[std::size_t(place)] = other;
            c.output = r.output(g.nodes[std::size_t(add)]);
            return true;
        };
        const bool biased = sum_with(2, [&](const shape& s) {
            if (s.rank < 1 || s.rank > y.rank || s[s.rank - 1] < 0 || s[s.rank - 1] != y[y.rank - 1]) return false;
            return std::all_of(s.begin(), s.end() - 1, [](std::int64_t d) { return d == 1; });
        });
        offer(biased);
        if (sum_with(3, [&](const shape& s) { return same_dims(s, y); })) offer(true);
    }
    add_all(r, "inlay", "FusedMatMul", 1, all);
    return int(all.size());
}
}  // namespace inlay::inline v1::passes
