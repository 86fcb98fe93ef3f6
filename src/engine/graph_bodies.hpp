// The bodies of a graph's control flow: graphs with plans and runs of their own, created when first needed.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace inlay {
inline namespace v1 {
class session_core;

class graph_bodies {
    const session_core& around_;
    mutable std::mutex mutex_;
    std::map<std::pair<int, int>, std::unique_ptr<session_core>> bodies_;  // by node and subgraph

  public:
    explicit graph_bodies(const session_core& around);
    ~graph_bodies();
    session_core& at(int node, int subgraph);
    std::vector<session_core*> made() const;  // so far
};
}  // namespace v1
}  // namespace inlay
