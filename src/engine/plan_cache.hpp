// Plans of one graph: one per set of input shapes, kept for the last few. Threads that want one at the same time make
// it once.
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

    plan_cache(int most, const failures& f) : most_(most), failed_(f) {}  // most: that are kept
    // What is kept for these shapes, from now on the newest; else null. room: of a cache, in rows.
    plan_pointer find(std::span<const shape> inputs, std::int64_t room);
    // That, or what another thread makes, or what make() gives, whose errors go to all who wait. None is kept from
    // before a provider failed.
    plan_pointer get(std::span<const shape> inputs, std::int64_t room, const maker& make);
    plan_pointer newest() const;  // null: there is none

  private:
    using plan_result = result<plan_pointer>;
    struct pending_plan {  // that one thread makes: others who want the same wait for it
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
