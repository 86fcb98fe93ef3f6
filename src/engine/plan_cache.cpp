#include "plan_cache.hpp"

namespace inlay {
inline namespace v1 {
// The caller holds the lock.
plan_cache::plan_pointer plan_cache::find_locked(std::span<const shape> inputs, std::int64_t room) {
    plans_.remove_if([failures = failed_.count()](const auto& p) { return p->failures != failures; });
    const auto same = [&](const auto& p) { return p->room == room && std::ranges::equal(p->key, inputs); };
    const auto at = std::ranges::find_if(plans_, same);
    if (at == plans_.end()) return nullptr;
    if (at != plans_.begin()) plans_.splice(plans_.begin(), plans_, at);
    return plans_.front();
}
plan_cache::plan_pointer plan_cache::find(std::span<const shape> inputs, std::int64_t room) {
    const std::lock_guard lock(mutex_);
    return find_locked(inputs, room);
}
plan_cache::plan_pointer plan_cache::get(std::span<const shape> inputs, std::int64_t room, const maker& make) {
    const auto self = std::this_thread::get_id();
    const auto same = [&](const pending_plan& p) {  // not one of this thread: a progress function may run the session
        return p.room == room && p.maker != self && std::ranges::equal(p.key, inputs);
    };
    for (;;) {
        std::shared_future<plan_result> theirs;
        std::list<pending_plan>::iterator at;
        {
            const std::lock_guard lock(mutex_);
            if (auto plan = find_locked(inputs, room)) return plan;
            at = std::ranges::find_if(pending_, same);
            if (at != pending_.end())
                theirs = at->plan;
            else
                at = pending_.insert(at, {{inputs.begin(), inputs.end()}, room, self});
        }
        if (!theirs.valid()) return finish(at, make);
        auto plan = plan_result(theirs.get()).value_or_raise();
        if (plan->failures == failed_.count()) return plan;
    }
}
// Creates the plan, caches it and gives it to all waiting threads; so too an error, which leaves nothing behind.
plan_cache::plan_pointer plan_cache::finish(std::list<pending_plan>::iterator p, const maker& make) {
    std::list<pending_plan> finished;
    const auto keep = [&](const plan_pointer& plan) {
        const std::lock_guard lock(mutex_);
        if (plan) plans_.push_front(plan);
        while (int(plans_.size()) > std::max(1, most_)) plans_.pop_back();
        finished.splice(finished.end(), pending_, p);
    };
    plan_pointer plan;
    try {
        plan = make(p->key, p->room);
        keep(plan);
    } catch (const error& e) {  // by value: threads share no exception object
        keep(nullptr);
        p->promise.set_value(e);
        throw;
    } catch (...) {
        keep(nullptr);
        p->promise.set_exception(std::current_exception());
        throw;
    }
    p->promise.set_value(plan);
    return plan;
}
plan_cache::plan_pointer plan_cache::newest() const {
    const std::lock_guard lock(mutex_);
    return plans_.empty() ? nullptr : plans_.front();
}
}  // namespace v1
}  // namespace inlay
