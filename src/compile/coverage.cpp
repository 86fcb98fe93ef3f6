#include "coverage.hpp"
#include "engine/core.hpp"

namespace inlay {
inline namespace v1 {
void require_coverage(const frozen_model& m, const std::vector<provider_handle>& providers) {
    const fallback along_the_list;
    const graph_view view = m.graph.view();
    const assignment a = partition(view, erased_providers(providers, along_the_list, {}));
    if (std::ranges::count(a.owners, owner::nobody)) raise_unowned(view, a, providers);
}
}  // namespace v1
}  // namespace inlay
