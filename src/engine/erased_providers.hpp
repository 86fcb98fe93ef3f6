// A session's providers as the partitioner sees them.
#pragma once
#include "kept_proposals.hpp"
#include <inlay/session.hpp>
#include <atomic>
#include <deque>
#include <tuple>

namespace inlay {
inline namespace v1 {
void name_apart(std::vector<provider_handle>&);  // where a type covers several devices, the names distinguish them:
                                                 // "AbacusExecutionProvider:1"

// Kernels that refused nodes when they were bound although supports() had said yes, and engines that refused them when
// they were compiled; an engine is recorded as the kernel `of_engine`.
class barred_kernels {
    mutable std::mutex lock_;
    std::map<std::tuple<const node*, int, int>, std::string> reasons_;  // by node, provider and kernel
    std::atomic<int> count_{0};

  public:
    static constexpr int of_engine = -1;
    void add(const node&, int provider, int kernel, std::string reason);
    verdict ask(const node&, int provider, int kernel) const;  // its text lives as long as this object
};

struct opened_engine {
    std::shared_ptr<inlay::engine> engine{};  // null: the provider has none, or it cannot be used
    std::string reason{};                     // it cannot be used
};
std::vector<opened_engine> open_engines(const std::vector<provider_handle>&);

// The first provider of the list that may have a node, as a partition by cost decided.
struct placement {
    std::vector<int> first;            // by node
    std::vector<std::string> reasons;  // by node: the reason for earlier providers; empty: none worth reporting
    placement() = default;
    explicit placement(std::size_t nodes) : first(nodes, 0), reasons(nodes) {}  // by order
};
struct restored_target;  // saved_regions.hpp

class erased_providers {
    const std::vector<provider_handle>& handles_;
    const fallback& policy_;
    std::vector<const space*> spaces_{&space_of<memory::host>};
    std::vector<char> excluded_;  // failed, under fallback::any
    const barred_kernels* barred_;
    std::span<const opened_engine> engines_;  // by position; may be none
    const constant_source* constants_;
    const placement* placement_ = nullptr;
    int later_owner(int provider, const node_view&) const;
    const restored_target* restored_ = nullptr;
    bool keeps_pairs_ = false;
    kept_proposals* proposals_ = nullptr;
    using answer_list = std::deque<std::shared_ptr<const proposals>>;
    std::shared_ptr<answer_list> answers_ = std::make_shared<answer_list>();
    proposals ask(int provider, const graph_view&, std::vector<int> allowed) const;

  public:
    erased_providers(const std::vector<provider_handle>& handles, const fallback& policy, std::vector<char> excluded,
                     std::span<const opened_engine> engines = {}, const barred_kernels* = nullptr,
                     const constant_source* = nullptr);
    void place(const placement* p) { placement_ = p; }  // must outlive the answers
    void set_restored(const restored_target* r) { restored_ = r; }
    void set_kept(kept_proposals* k) { proposals_ = k; }  // of the queried graph; null: engines are queried again
    void keep_pairs(bool yes) { keeps_pairs_ = yes; }     // of float32 values between kernels, as bfloat16 (pairs.hpp)
    bool keeps_pairs() const { return keeps_pairs_; }
    int size() const { return int(handles_.size()); }
    provider_view view(int i) const;
    verdict accepts(int i, const node_view& n) const;
    verdict barred(int i, const node_view& n, int kernel) const {
        return barred_ ? barred_->ask(n.record, i, kernel) : yes();
    }
    const proposals& propose(int i, const graph_view& g, std::span<const int> free) const;
    std::shared_ptr<const void> answers() const { return answers_; }  // of engines: owns their texts
    const space& space_at(int i) const { return *spaces_[std::size_t(i)]; }
    bool reaches(int from, int to) const {  // spaces of the same kind, whose devices copy from each other
        const space &a = *spaces_[std::size_t(from)], &b = *spaces_[std::size_t(to)];
        return b.from_peer_queued && a.from_peer_queued == b.from_peer_queued;
    }
    int spaces() const { return int(spaces_.size()); }
};
}  // namespace v1
}  // namespace inlay
