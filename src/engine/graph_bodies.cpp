#include "graph_bodies.hpp"
#include "session_core.hpp"

namespace inlay {
inline namespace v1 {
graph_bodies::graph_bodies(const session_core& around) : around_(around) {}
graph_bodies::~graph_bodies() = default;
session_core& graph_bodies::at(int node, int subgraph) {
    const std::lock_guard lock(mutex_);
    auto& b = bodies_[{node, subgraph}];
    if (!b)
        b = std::make_unique<session_core>(around_, around_.graph.data.subgraphs[std::size_t(subgraph)],
                                           around_.graph.view.subgraphs[std::size_t(subgraph)]);
    return *b;
}
std::vector<session_core*> graph_bodies::made() const {
    const std::lock_guard lock(mutex_);
    std::vector<session_core*> cores;
    for (const auto& [place, body] : bodies_)
        if (body) cores.push_back(body.get());
    return cores;
}
}  // namespace v1
}  // namespace inlay
