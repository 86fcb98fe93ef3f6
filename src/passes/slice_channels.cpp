// slice_channels: Concat and Split along the channels of images get the attribute `slices`, by which the memory plan
// lets their parts lie inside the whole, where the kernels that write and read the parts can.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
int slice_channels(graph_data& g, const evaluator&) {
    rewriter r(g);
    int count = 0;
    for (node& n : g.nodes) {
        const bool joins = is(n, "Concat");
        if ((!joins && !is(n, "Split")) || r.find(n, "slices")) continue;
        const int id = joins ? r.output(n) : r.input(n, 0);
        const std::int64_t axis = r.integer(n, "axis", joins ? 1 : 0);
        if (id < 0 || g.values[std::size_t(id)].dims.rank != 4 || (axis != 1 && axis != -3)) continue;
        std::vector<attribute> list(r.attributes(n).begin(), r.attributes(n).end());
        list.push_back(g.make("slices", std::int64_t(1)));
        n.attributes = {int(g.attributes.size()), int(list.size())};
        g.attributes.insert(g.attributes.end(), list.begin(), list.end());
        ++count;
    }
    return count;
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
