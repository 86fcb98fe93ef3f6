// Copies between memories, and the release of memory.
#include "conformance.hpp"
#include <fstream>
#include <mutex>
#include <unistd.h>

namespace inlay {
inline namespace v1 {
namespace conformance {
namespace {
// A provider's memory with counters of its blocks and copies: one at a time, since a space has only functions.
struct counted {
    static inline std::mutex one_at_a_time;
    static inline const space* inner = nullptr;
    static inline std::atomic<std::int64_t> blocks{0}, allocations{0}, copies{0};
};
space counting(const space& inner) {
    counted::inner = &inner;
    counted::blocks = counted::allocations = counted::copies = 0;
    space s = inner;
    s.allocate_on = [](std::size_t bytes, int device) noexcept {
        void* p = counted::inner->allocate_on(bytes, device);
        if (p) ++counted::blocks, ++counted::allocations;
        return p;
    };
    s.release_on = [](void* p, int device) noexcept {
        if (p) --counted::blocks;
        counted::inner->release_on(p, device);
    };
    s.from_host_on = [](void* to, const void* from, std::size_t bytes, int device) noexcept {
        ++counted::copies;
        return counted::inner->from_host_on(to, from, bytes, device);
    };
    s.to_host_on = [](void* to, const void* from, std::size_t bytes, int device) noexcept {
        ++counted::copies;
        return counted::inner->to_host_on(to, from, bytes, device);
    };
    if (inner.from_host_queued)
        s.from_host_queued = [](void* to, const void* from, std::size_t bytes, void* stream) noexcept {
            ++counted::copies;
            return counted::inner->from_host_queued(to, from, bytes, stream);
        };
    if (inner.to_host_queued)
        s.to_host_queued = [](void* to, const void* from, std::size_t bytes, void* stream) noexcept {
            ++counted::copies;
            return counted::inner->to_host_queued(to, from, bytes, stream);
        };
    return s;
}
void copies_counted(const subject& s) {
    const network& n = s.favourite();
    provider_handle h = s.handle();
    const std::lock_guard lock(counted::one_at_a_time);
    const bool on_host = h.memory_space == &space_of<memory::host>;
    const space around = counting(*h.memory_space);
    if (!on_host) h.memory_space = &around;
    {
        const handle_session session(n.model, {h, s.companion()}, silent());
        const auto inputs = inputs_of(n.model, 1);
        (void)session.run(feeds_of(inputs));  // constants are copied before the second run
        const std::int64_t before = counted::copies;
        (void)session.run(feeds_of(inputs));
        const plan_report plan = session.plan();
        if (on_host) return require(plan.transfers.empty(), "its memory is the host's, and the plan has transfers");
        std::vector<std::string> copies;
        std::int64_t planned = 0;
        for (const plan_report::copy& c : plan.transfers) {
            const std::string copy = c.value + " from " + c.from + " to " + c.to;
            require(std::ranges::find(copies, copy) == copies.end(), copy + " is copied twice");
            copies.push_back(copy);
        }
        for (const plan_report::step& step : plan.schedule) planned += step.kind == "transfer";
        require(
            counted::copies - before == planned,
            std::to_string(counted::copies - before) + " copies in a run, and the plan has " + std::to_string(planned));
        require(planned > 0, "nothing is copied to its memory or from it");
    }
}
void blocks_given_back(const subject& s) {
    const network& n = s.favourite();
    provider_handle h = s.handle();
    if (h.memory_space == &space_of<memory::host>) throw not_applicable{"its memory is the host's"};
    const std::lock_guard lock(counted::one_at_a_time);
    const space around = counting(*h.memory_space);
    h.memory_space = &around;
    for (int k = 0; k < 3; ++k) {
        const handle_session session(n.model, {h, s.companion()}, silent());
        binding bound = session.bind();
        (void)session.run(feeds_of(inputs_of(n.model, 1)));
        (void)bound.run();
    }
    require(counted::allocations > 0, "no session took any of its memory");
    require(counted::blocks == 0, std::to_string(counted::blocks) + " of " + std::to_string(counted::allocations) +
                                      " blocks were not given back by sessions that are gone");
}
std::int64_t resident_bytes() {
    std::int64_t total = 0, resident = -1;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident < 0 ? -1 : resident * std::int64_t(sysconf(_SC_PAGESIZE));
}
void process_does_not_grow(const subject& s) {
    const network& n = s.favourite();
    const auto inputs = inputs_of(n.model, 1);
    const auto sessions = [&](int count) {
        for (int k = 0; k < count; ++k)
            (void)handle_session(n.model, s.before_companion(), silent()).run(feeds_of(inputs));
    };
    sessions(s.options.sessions / 3);  // libraries and allocators keep some memory from the first ones on
    const std::int64_t before = resident_bytes();
    if (before < 0) throw not_applicable{"this system does not tell the memory of a process"};
    sessions(s.options.sessions);
    const std::int64_t more = resident_bytes() - before;
    require(more <= s.options.kept_bytes, std::to_string(s.options.sessions) + " sessions that are gone left " +
                                              std::to_string(more) + " bytes; conformance_options::kept_bytes is " +
                                              std::to_string(s.options.kept_bytes));
}
}  // namespace
std::span<const provider_test> tests_of_memory() {
    static constexpr provider_test tests[] = {
        {"Values are copied once per destination, and as often as the plan reports", copies_counted},
        {"All blocks of its memory are given back with the session", blocks_given_back},
        {"The process does not grow with each session that comes and goes", process_does_not_grow},
    };
    return tests;
}
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
