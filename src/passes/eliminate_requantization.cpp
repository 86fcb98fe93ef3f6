// eliminate_requantization: values that are dequantized and quantized again, with the same scale and zero point, do not
// change; nor do they with a Relu or Clip in between that cuts off nothing within the quantized range.
#include "quantized_values.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
constexpr int most_bounds = 2;  // between the two nodes

// The quantized values that y quantizes again; -1: none.
int codes_before(const rewriter& r, quantized_values& values, const coded& y) {
    int v = y.floats;
    for (int bounds = 0; bounds <= most_bounds; ++bounds) {
        if (const auto x = values.decoded(v)) return x->same_as(y) ? x->codes : -1;
        const int maker = r.maker(v), before = maker < 0 ? -1 : r.input(r.g.nodes[std::size_t(maker)], 0);
        const auto bound = before < 0 ? std::nullopt : by_one_node(r, before, maker);
        if (!bound || !quantized_values::implies(y, *bound)) return -1;
        v = before;
    }
    return -1;
}
}  // namespace

int eliminate_requantization(graph_data& g, const evaluator&) {
    rewriter r(g);
    quantized_values values(r);
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!encodes(g.nodes[i])) continue;
        const auto y = values.read(int(i));
        if (!y || r.is_output(y->codes)) continue;  // outputs keep their names
        const int x = r.now(codes_before(r, values, *y));
        if (x < 0) continue;
        if (dims_of(r, x).rank < 0) g.values[std::size_t(x)].dims = dims_of(r, y->codes);
        r.replace(y->codes, x);
        r.drop(int(i));
        ++count;
    }
    r.apply();
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
