// What a provider with a device of its own keeps for one session: memory, and queues of work that run beside the host.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "kernel.hpp"
#include <inlay/error.hpp>
#include <memory>

namespace inlay {
inline namespace v1 {
// One run at a time has it. The device does the work of a queue in the order in which it was given.
struct device_queue {
    virtual ~device_queue() = default;
    virtual void* stream() const noexcept = 0;      // context::stream
    virtual unsigned* faults() const noexcept = 0;  // context::faults; what kernels write there, wait() makes a status
    // Between the two, the calling thread allocates, binds and runs on this queue. They nest. Where a session has
    // several devices the thread enters a queue of each: memory is that of the device it is asked for, and select()
    // tells whose kernels come next.
    virtual status enter() noexcept = 0;
    virtual void leave() noexcept = 0;
    virtual void select() noexcept {}
    virtual status wait() noexcept = 0;  // until all that was given is done
    // What this queue is given from now on begins when all is done that `earlier` was given so far; the host goes on.
    // false: they cannot, and the host waits for `earlier`.
    virtual bool follow(device_queue& earlier) noexcept {
        (void)earlier;
        return false;
    }
    virtual std::string_view why() const noexcept = 0;  // of the last status that was not ok; good until the next call
    // A device that can repeat what it was given: what stands between begin and end is recorded, not done. A null is a
    // device that cannot.
    virtual bool begin_recording() noexcept { return false; }
    virtual std::shared_ptr<void> end_recording() noexcept { return nullptr; }
    virtual status replay(void*) noexcept { return status::failed; }

  private:
    friend class queues_entered;
    bool working_ = false;  // was given work that the host has not waited for
};
struct device_session {
    virtual ~device_session() = default;
    virtual result<std::unique_ptr<device_queue>> make_queue() = 0;
    virtual bool records() const noexcept { return false; }
};
// open() is called when a session is made; its error says why the device cannot be used.
template <class P>
concept device_provider = requires(const P& p) {
    { p.open() } -> std::same_as<result<std::shared_ptr<device_session>>>;
};
}  // namespace v1
}  // namespace inlay
