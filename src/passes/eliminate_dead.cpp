// eliminate_dead: nodes and outputs that nothing uses; then every record that nothing refers to.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
int eliminate_dead(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<char> used(g.values.size());
    for (int v : g.outputs) used[std::size_t(v)] = true;
    int count = 0;
    for (std::size_t i = g.nodes.size(); i-- > 0;) {
        node& n = g.nodes[i];
        const auto outputs = r.list(n.outputs);
        if (std::none_of(outputs.begin(), outputs.end(), [&](int v) { return v >= 0 && used[std::size_t(v)]; })) {
            r.drop(int(i));
            ++count;
            continue;
        }
        const int required = operator_of(n).facts.required_outputs;
        for (int k = required; k < n.outputs.count; ++k)
            if (int& v = outputs[std::size_t(k)]; v >= 0 && !used[std::size_t(v)]) {
                v = -1;
                ++count;
            }
        // For others, such as Split, absent outputs count too.
        while (n.outputs.count > required && r.output(n, n.outputs.count - 1) < 0) --n.outputs.count;
        for (range list : {n.inputs, n.captures})
            for (int v : r.list(list))
                if (v >= 0) used[std::size_t(v)] = true;
    }
    r.apply();
    return count + compact(g);
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
