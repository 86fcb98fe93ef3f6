#include "kept_states.hpp"

namespace inlay {
inline namespace v1 {
// Shared by all sessions of the model, unless the state depends on constants that follow from this plan's shapes or
// lies in a provider's own memory: then it belongs to this plan alone.
std::shared_ptr<bound_state> kept_states::bind(const compiled_plan& p, int unit, int provider,
                                               const kernel_functions& f,
                                               const std::function<std::shared_ptr<bound_state>()>& bind) {
    const auto ids = p.graph.view.list(p.graph.view.unit(unit).inputs);
    const bool shared = setup_.handles[std::size_t(provider)].memory_space == &space_of<memory::host> &&
                        std::ranges::all_of(ids, [&](int id) {
                            return id < 0 || !p.follows_from_shapes(p.graph.values[std::size_t(id)].constant);
                        });
    if (!shared) return bind();
    const bound_states::key key{&graph_.data,           unit, bound_states::code_of(f), setup_.level, setup_.precision,
                                setup_.executor.threads};
    {
        const std::lock_guard lock(mutex_);
        if (const auto it = states_.find(key); it != states_.end()) return it->second;
    }
    const auto state = graph_.states->find(key, bind);
    const std::lock_guard lock(mutex_);
    return states_.emplace(key, state).first->second;
}
void kept_states::drop_unused() {
    const std::lock_guard lock(mutex_);
    std::erase_if(states_, [](const auto& entry) { return entry.second.use_count() == 1; });
}
}  // namespace v1
}  // namespace inlay
