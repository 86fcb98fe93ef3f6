// fuse_squeeze_excite: the Mul that ends a squeeze-excite block and the Conv after it, as candidates. The nodes that
// compute the scale are left alone.
//   ScaledConv(X, W, B or -1, Z or -1, S) = FusedConv(X * S, W, B, Z), where S has one number per image and channel
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
struct scaling {
    int x, scale;
};
// The operands of a Mul that multiplies each channel of each image of x, which may have several pixels, by one number.
std::optional<scaling> scaling_by(const rewriter& r, int mul) {
    if (mul < 0 || !is(r.g.nodes[std::size_t(mul)], "Mul") || r.g.nodes[std::size_t(mul)].version < 7) return {};
    for (int k : {0, 1}) {
        const scaling result{r.input(r.g.nodes[std::size_t(mul)], k), r.input(r.g.nodes[std::size_t(mul)], 1 - k)};
        if (result.x < 0 || result.scale < 0) continue;
        shape scale_dims = dims_of(r, result.x);
        for (int i = 2; i < scale_dims.rank; ++i) scale_dims[i] = 1;
        if (scale_dims.rank >= 3 && scale_dims != dims_of(r, result.x) &&
            same_dims(dims_of(r, result.scale), scale_dims))
            return result;
    }
    return {};
}
}  // namespace

int fuse_squeeze_excite(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        const int product = r.input(n, 0), mul = only_user(r, product) == int(i) ? r.maker(product) : -1;
        const auto operands =
            is(n, "Conv") && is_float(r, product) && r.output(n) >= 0 ? scaling_by(r, mul) : std::nullopt;
        if (!operands) continue;
        std::vector<candidate> ends = convolution_with_end(r, int(i));
        ends.push_back({{int(i)},
                        {product, r.input(n, 1), r.input(n, 2), -1},
                        r.output(n),
                        with_activation(r, r.attributes(n), {})});
        for (candidate& c : ends) {
            c.nodes.insert(c.nodes.begin(), mul);
            c.inputs[0] = operands->x;
            c.inputs.push_back(operands->scale);
            candidates.push_back(std::move(c));
        }
    }
    add_all(r, "inlay", "ScaledConv", 1, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
