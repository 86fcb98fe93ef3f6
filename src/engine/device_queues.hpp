// The queues through which a run, or planning, gives work to devices.
#pragma once
#include <inlay/sdk/device_session.hpp>
#include <memory>
#include <vector>

namespace inlay {
inline namespace v1 {
using device_queues = std::vector<std::unique_ptr<device_queue>>;  // by provider; null where it takes no part

// While it lives, the thread works on these queues, one at a time; its destructor waits until they have finished all
// work.
class queues_entered {
    device_queues& queues_;
    std::size_t entered_ = 0;
    int selected_ = -1, failed_ = -1;
    status status_ = status::ok;
    failure_text failure_;
    status finish(std::size_t queue) noexcept;

  public:
    explicit queues_entered(device_queues&);
    queues_entered(const queues_entered&) = delete;
    queues_entered& operator=(const queues_entered&) = delete;
    ~queues_entered();
    status entered() const noexcept { return status_; }
    std::string_view why() const noexcept { return failure_; }  // of a status that was not ok
    int failed() const noexcept { return failed_; }             // and whose it was
    void select(int queue) noexcept {
        if (queue != selected_) queues_[std::size_t(selected_ = queue)]->select();
    }
    void given_work() noexcept { queues_[std::size_t(selected_)]->working_ = true; }
    status follow() noexcept;  // the selected one starts after the work submitted to the others
    status settle() noexcept;  // waits for those that were given work
    status settle_all() noexcept;
};
}  // namespace v1
}  // namespace inlay
