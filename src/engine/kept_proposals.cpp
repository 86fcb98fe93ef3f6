#include "kept_proposals.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
std::shared_ptr<const proposals> kept_proposals::find(int provider, const graph_view& g, std::span<const int> nodes) {
    const auto same_value = [](const value& a, const value& b) {
        return a.type == b.type && a.dims == b.dims && a.constant == b.constant;
    };
    const auto same = [&](const entry& e) {
        return e.provider == provider && std::ranges::equal(e.nodes, nodes) &&
               std::ranges::equal(e.values, g.values, same_value);
    };
    const std::lock_guard lock(mutex_);
    const auto at = std::ranges::find_if(entries_, same);
    if (at == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at);
    return at->answer;
}
}  // namespace v1
}  // namespace inlay
