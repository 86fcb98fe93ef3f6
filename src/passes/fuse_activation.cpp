// fuse_conv_activation, fuse_gemm_activation: Conv (with a residual) and an activation, Gemm and an activation, as
// candidates.
//   FusedConv(X, W, B or -1, Z or -1) = activation(Conv(X, W, B) + Z), FusedGemm(A, B, C or -1) = activation(Gemm(A, B, C))
// with the attributes of Conv or Gemm, the text `activation` (empty: none) and the reals `activation_params`.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
std::vector<candidate> convolution_with_end(rewriter& r, int conv) {
    const node& n = r.g.nodes[std::size_t(conv)];
    const int y = r.output(n);
    if (!is(n, "Conv") || !is_float(r, r.input(n, 0)) || y < 0 || r.is_output(y)) return {};
    const std::vector<int> inputs{r.input(n, 0), r.input(n, 1), r.input(n, 2), -1};
    if (auto a = activation_of(r, y))
        return {{joined({conv}, a->nodes), inputs, a->output, with_activation(r, r.attributes(n), *a)}};
    if (r.users(y).size() != 1) return {};
    const int sum = r.users(y)[0];
    const node& add = r.g.nodes[std::size_t(sum)];
    if (!is(add, "Add") || add.version < 7 || r.output(add) < 0) return {};
    const int z = r.input(add, r.input(add, 0) == y ? 1 : 0);
    if (!is_float(r, z) || !same_dims(r.g.values[std::size_t(y)].dims, r.g.values[std::size_t(z)].dims)) return {};
    std::vector<candidate> candidates;
    const std::vector<int> added{inputs[0], inputs[1], inputs[2], z};
    if (auto a = activation_of(r, r.output(add)))
        candidates.push_back(
            {joined({conv, sum}, a->nodes), added, a->output, with_activation(r, r.attributes(n), *a)});
    candidates.push_back({{conv, sum}, added, r.output(add), with_activation(r, r.attributes(n), {})});
    return candidates;
}

int fuse_conv_activation(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        for (candidate& c : convolution_with_end(r, int(i))) candidates.push_back(std::move(c));
    add_all(r, "inlay", "FusedConv", 1, candidates);
    return int(candidates.size());
}

int fuse_gemm_activation(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        const int y = r.output(n);
        if (!is(n, "Gemm") || !is_float(r, r.input(n, 0)) || y < 0) continue;
        if (auto a = activation_of(r, y))
            candidates.push_back({joined({int(i)}, a->nodes),
                                  {r.input(n, 0), r.input(n, 1), r.input(n, 2)},
                                  a->output,
                                  with_activation(r, r.attributes(n), *a)});
    }
    add_all(r, "inlay", "FusedGemm", 1, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
