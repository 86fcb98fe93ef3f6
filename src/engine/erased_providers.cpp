#include "saved_regions.hpp"

namespace inlay {
inline namespace v1 {
void name_apart(std::vector<provider_handle>& handles) {
    for (provider_handle& h : handles)
        if (std::ranges::any_of(
                handles, [&](const provider_handle& peer) { return peer.type == h.type && peer.device != h.device; }))
            h.name += ":" + std::to_string(h.device);
}
void barred_kernels::add(const node& n, int provider, int kernel, std::string reason) {
    const std::lock_guard lock(lock_);
    reasons_.emplace(std::tuple(&n, provider, kernel), std::move(reason));
    count_ = int(reasons_.size());
}
verdict barred_kernels::ask(const node& n, int provider, int kernel) const {
    if (count_ == 0) return yes();
    const std::lock_guard lock(lock_);
    const auto at = reasons_.find({&n, provider, kernel});
    return at == reasons_.end() ? yes() : no(at->second);
}
erased_providers::erased_providers(const std::vector<provider_handle>& handles, const fallback& policy,
                                   std::vector<char> excluded, std::span<const opened_engine> engines,
                                   const barred_kernels* barred, const constant_source* constants)
    : handles_(handles),
      policy_(policy),
      excluded_(std::move(excluded)),
      barred_(barred),
      engines_(engines),
      constants_(constants) {
    excluded_.resize(handles.size(), 0);
    for (const provider_handle& h : handles)
        if (std::ranges::find(spaces_, h.memory_space) == spaces_.end()) spaces_.push_back(h.memory_space);
}
provider_view erased_providers::view(int i) const {
    const provider_handle& h = handles_[std::size_t(i)];
    provider_view v{h.name,
                    {},
                    int(std::ranges::find(spaces_, h.memory_space) - spaces_.begin()),
                    h.open_engine != nullptr && !excluded_[std::size_t(i)],
                    h.conversion != nullptr};
    if (h.kernels) v.kernels = h.kernels->entries;
    return v;
}
verdict erased_providers::accepts(int i, const node_view& n) const {
    const auto refuse = [](std::string_view reason) { return verdict{false, reason, refusal::provider, 0}; };
    if (excluded_[std::size_t(i)]) return refuse("the provider failed and was replaced");
    if (i > 0 && policy_.policy == fallback::kind::never)
        return refuse("fallback::never: only the first provider may run nodes");
    if (i > 0 && policy_.policy == fallback::kind::only &&
        std::ranges::find(policy_.operators, n.record.op) == policy_.operators.end())
        return refuse("fallback::only: this operator may not leave the first provider");
    if (const verdict v = barred(i, n, barred_kernels::of_engine); !v) return refuse(v.reason);
    if (placement_)
        if (const int owner_index = later_owner(i, n); owner_index >= 0) {
            const std::string& reason = placement_->reasons[std::size_t(owner_index)];
            return refuse(reason.empty() ? std::string_view("by cost it runs on a later provider of the list")
                                         : reason);
        }
    return handles_[std::size_t(i)].accepts(handles_[std::size_t(i)].object.get(), n);
}
// A node that the placement gives to a later provider: this one, or one that it represents; -1: there is none.
int erased_providers::later_owner(int i, const node_view& n) const {
    const auto later = [&](int node) { return placement_->first[std::size_t(node)] > i; };
    const node* const nodes = n.graph.nodes.data();
    if (!std::less<>()(&n.record, nodes) && std::less<>()(&n.record, nodes + n.graph.nodes.size())) {
        const int at = int(&n.record - nodes);
        return later(at) ? at : -1;
    }
    for (int s : n.graph.list(n.record.sources))
        if (later(s)) return s;
    return -1;
}
const proposals& erased_providers::propose(int i, const graph_view& g, std::span<const int> free) const {
    std::vector<int> allowed;
    for (int k : free)
        if (accepts(i, node_view{g, g.nodes[std::size_t(k)]})) allowed.push_back(k);
    const auto answer = [&] { return ask(i, g, allowed); };
    answers_->push_back(proposals_ ? proposals_->get(i, g, allowed, answer)
                                   : std::make_shared<const proposals>(answer()));
    return *answers_->back();
}
proposals erased_providers::ask(int i, const graph_view& g, std::vector<int> allowed) const {
    proposals answer;
    if (restored_) restored_->propose(i, g, allowed, answer);
    const opened_engine backend =
        engines_.empty() ? opened_engine{{}, "only a session opens its engine"} : engines_[std::size_t(i)];
    if (backend.engine)
        backend.engine->propose({g, allowed, constants_}, answer);
    else
        for (int k : allowed) answer.refuse(k, backend.reason);
    return answer;
}
std::vector<opened_engine> open_engines(const std::vector<provider_handle>& handles) {
    std::vector<opened_engine> engines(handles.size());
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (!handles[i].open_engine) continue;
        auto backend = handles[i].open_engine(handles[i].object.get());
        if (backend)
            engines[i].engine = std::move(*backend);
        else
            engines[i].reason = backend.why().text;
    }
    return engines;
}
}  // namespace v1
}  // namespace inlay
