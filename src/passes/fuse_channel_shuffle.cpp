// fuse_channel_shuffle: Reshape that splits the channels in groups, Transpose of the two axes, Reshape back, offered as
// inlay.ChannelShuffle.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
std::optional<candidate> from_split(rewriter& r, int split) {
    const node& first = r.g.nodes[std::size_t(split)];
    if (!is(first, "Reshape")) return {};
    const int x = r.input(first, 0), transpose = only_user(r, r.output(first));
    if (x < 0 || transpose < 0 || !is(r.g.nodes[std::size_t(transpose)], "Transpose")) return {};
    const int join = only_user(r, r.output(r.g.nodes[std::size_t(transpose)]));
    if (join < 0 || !is(r.g.nodes[std::size_t(join)], "Reshape") ||
        r.input(r.g.nodes[std::size_t(join)], 0) != r.output(r.g.nodes[std::size_t(transpose)]))
        return {};
    const int y = r.output(r.g.nodes[std::size_t(join)]);
    const shape &from = dims_of(r, x), &parts = dims_of(r, r.output(first)), &to = dims_of(r, y);
    if (from.rank < 2 || parts.rank != from.rank + 1 || to.rank != from.rank || parts[1] < 1 || parts[2] < 1 ||
        from[1] != parts[1] * parts[2] || to[1] != from[1])
        return {};
    // The other axes stay. Where they all are known, the first one follows from the number of elements.
    bool static_dims = true;
    for (int i = 2; i < from.rank; ++i) {
        static_dims &= from[i] > 0;
        if (from[i] == -1 || parts[i + 1] != from[i] || to[i] != from[i]) return {};
    }
    if (!static_dims && (from[0] == -1 || parts[0] != from[0] || to[0] != from[0])) return {};
    const attribute* perm = r.find(r.g.nodes[std::size_t(transpose)], "perm");
    if (!perm || perm->list.count != parts.rank) return {};
    for (int i = 0; i < parts.rank; ++i)
        if (r.g.integers[std::size_t(perm->list.first + i)] != (i == 1 ? 2 : i == 2 ? 1 : i)) return {};
    return candidate{{split, transpose, join}, {x}, y, {r.g.make("group", parts[1])}};
}
}  // namespace

int fuse_channel_shuffle(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (auto c = from_split(r, int(i))) candidates.push_back(std::move(*c));
    add_all(r, "inlay", "ChannelShuffle", 1, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
