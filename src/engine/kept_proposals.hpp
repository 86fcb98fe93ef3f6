// What engines proposed for one graph: each is queried once per set of nodes and shapes.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <list>
#include <mutex>

namespace inlay {
inline namespace v1 {
class kept_proposals {
    // Shapes and types of all values, and which of them are constants: everything that an engine learns of a graph.
    struct entry {
        int provider;
        std::vector<int> nodes;
        std::vector<value> values;
        std::shared_ptr<const proposals> answer;
    };
    const std::size_t most_;
    std::mutex mutex_;
    std::list<entry> entries_;  // the newest first

    std::shared_ptr<const proposals> find(int provider, const graph_view&, std::span<const int> nodes);

  public:
    explicit kept_proposals(std::size_t most) : most_(most) {}  // most: maximum number of cached answers
    // What ask() returns, or returned before. No lock is held while an engine is queried.
    template <class F>
    std::shared_ptr<const proposals> get(int provider, const graph_view& g, std::span<const int> nodes, F ask) {
        if (auto proposal = find(provider, g, nodes)) return proposal;
        auto answer = std::make_shared<const proposals>(ask());
        entry e{provider, {nodes.begin(), nodes.end()}, {g.values.begin(), g.values.end()}, answer};
        const std::lock_guard lock(mutex_);
        entries_.push_front(std::move(e));
        if (entries_.size() > most_) entries_.pop_back();
        return answer;
    }
};
}  // namespace v1
}  // namespace inlay
