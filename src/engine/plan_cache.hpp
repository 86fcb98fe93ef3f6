// Plans of one graph: one per set of input shapes, cached for the last few. Threads that need the same plan at the
// same time create it once.
#pragma once
#include "compiled_plan.hpp"
#include "failures.hpp"
#include <future>
#include <list>
#include <thread>

namespace inlay {
inline namespace v1 {
class plan_cache {
  public:
    using plan_pointer = std::shared_ptr<const compiled_plan>;
    using maker = std::function<plan_pointer(std::span<const shape> inputs, std::int64_t room)>;

    plan_cache(int most, const failures& f) : most_(most), failed_(f) {}  // most: how many are cached
    // The cached plan for these shapes, which becomes the newest; else null. room: capacity of a cache, in rows.
    plan_pointer find(std::span<const shape> inputs, std::int64_t room);
    // The cached plan, one that another thread creates, or the result of make(), whose errors go to all waiting ones.
    // Plans from before a provider failed are not cached.
    plan_pointer get(std::span<const shape> inputs, std::int64_t room, const maker& make);
    plan_pointer newest() const;  // null: there is none

  private:
    using plan_result = result<plan_pointer>;
    struct pending_plan {  // created by one thread: others that need it wait for it
        std::vector<shape> key;
        std::int64_t room;
        std::thread::id maker;
        std::promise<plan_result> promise{};
        std::shared_future<plan_result> plan = promise.get_future().share();
    };
    const int most_;
    const failures& failed_;
    mutable std::mutex mutex_;
    std::list<plan_pointer> plans_;  // the newest first
    std::list<pending_plan> pending_;

    plan_pointer find_locked(std::span<const shape> inputs, std::int64_t room);
    plan_pointer finish(std::list<pending_plan>::iterator, const maker&);
};
}  // namespace v1
}  // namespace inlay
