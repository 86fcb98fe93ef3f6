#include "coverage.hpp"
#include "engine/refusals.hpp"
#include "engine/saved_regions.hpp"

namespace inlay {
inline namespace v1 {
void require_coverage(const frozen_model& m, const std::vector<provider_handle>& providers) {
    const fallback along_the_list;
    const graph_view view = m.graph.view();
    assignment a = partition(view, erased_providers(providers, along_the_list, {}));
    for (std::size_t i = 0; i < view.nodes.size(); ++i) {  // a compiled region runs on the provider that compiled it
        const node_view n{view, view.nodes[i]};
        if (!stands_for_saved_region(n.record)) continue;
        const auto by = std::ranges::find(providers, n.text("source", ""), &provider_handle::name);
        if (by != providers.end()) a.owners[i] = int(by - providers.begin());
    }
    if (std::ranges::count(a.owners, owner::nobody)) raise_unowned(view, a, providers);
}
}  // namespace v1
}  // namespace inlay
