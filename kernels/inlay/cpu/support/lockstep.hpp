// A barrier between steps: no part of a step begins before all parts of the previous one are done.
#pragma once
#include <inlay/impl/pause.hpp>
#include <inlay/sdk/kernel.hpp>
#include <sched.h>

namespace inlay {
inline namespace v1 {
inline constexpr int most_in_lockstep = 32;

// f(step, part), in at most most_in_lockstep parts. Each part has a task of its own, so that its data stay in one
// core's cache. Yet a task that waits for a part runs it itself where that part's task is late or has not started: so
// all steps run whatever the executor does with the tasks, even one after the other.
template <class F> void in_lockstep(std::int64_t steps, int parts, context& c, F f) noexcept {
    struct alignas(64) line {
        std::atomic<std::int64_t> count{0};
    };
    line begun[most_in_lockstep], finished[most_in_lockstep], tasks;  // steps of each part; tasks that have started
    c.for_each(parts, [&](int index) {
        tasks.count.fetch_add(1, std::memory_order_relaxed);
        for (std::int64_t step = 0; step < steps && !c.stopped(); ++step)
            for (int i = 0; i < parts; ++i) {
                const int part = (index + i) % parts;
                for (int turns = 0; finished[part].count.load(std::memory_order_acquire) <= step; ++turns) {
                    const bool takes =
                        i == 0 ? turns == 0 : turns == 100 || tasks.count.load(std::memory_order_relaxed) < parts;
                    if (std::int64_t now = step;
                        takes && begun[part].count.compare_exchange_strong(now, step + 1, std::memory_order_relaxed)) {
                        f(step, part);
                        finished[part].count.store(step + 1, std::memory_order_release);
                    } else if (turns < 1000)
                        detail::pause_briefly();
                    else
                        sched_yield();  // the thread that began the part is preempted
                }
            }
    });
}
}  // namespace v1
}  // namespace inlay
