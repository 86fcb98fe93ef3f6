// What a provider with a device of its own keeps for one session: memory, and queues that run while the host goes on.
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
    virtual unsigned* faults() const noexcept = 0;  // context::faults; kernels write there, wait() returns a status
    // Between the two, the calling thread allocates, binds and runs on this queue. They nest. Where a session has
    // several devices the thread enters a queue of each: memory is that of the requested device, and select()
    // names the device of the next kernels.
    virtual status enter() noexcept = 0;
    virtual void leave() noexcept = 0;
    virtual void select() noexcept {}
    virtual status wait() noexcept = 0;  // until all queued work is done
    // Later work of this queue begins when all work that `earlier` has so far is done; the host goes on. false: not
    // supported, and the host waits for `earlier`.
    virtual bool follow(device_queue& earlier) noexcept {
        (void)earlier;
        return false;
    }
    virtual std::string_view why() const noexcept = 0;  // of the last status that was not ok; good until the next call
    // A device that can repeat work (graph capture): calls between begin and end are recorded, not run. A null is a
    // device that cannot.
    virtual bool begin_recording() noexcept { return false; }
    virtual std::shared_ptr<void> end_recording() noexcept { return nullptr; }
    virtual status replay(void*) noexcept { return status::failed; }

  private:
    friend class queues_entered;
    bool working_ = false;  // has work that the host has not waited for
};
struct device_session {
    virtual ~device_session() = default;
    virtual result<std::unique_ptr<device_queue>> make_queue() = 0;
    virtual bool records() const noexcept { return false; }
};
// open() is called when a session is created; its error says why the device cannot be used.
template <class P>
concept device_provider = requires(const P& p) {
    { p.open() } -> std::same_as<result<std::shared_ptr<device_session>>>;
};
}  // namespace v1
}  // namespace inlay
