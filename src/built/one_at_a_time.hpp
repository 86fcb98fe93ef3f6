// For one use at a time: taken by one thread; another thread gets an error, and does not wait.
#pragma once
#include <inlay/error.hpp>
#include <atomic>

namespace inlay {
inline namespace v1 {
class one_at_a_time {
    std::atomic_flag in_use_ = ATOMIC_FLAG_INIT;

  public:
    bool take() noexcept { return !in_use_.test_and_set(std::memory_order_acquire); }
    void give_back() noexcept { in_use_.clear(std::memory_order_release); }
};
// Takes it for as long as this lives. Raises invalid_argument with the text of `otherwise` where another thread has
// taken it.
class taken {
    one_at_a_time& lock_;

  public:
    template <class F> taken(one_at_a_time& lock, F otherwise) : lock_(lock) {
        if (!lock_.take()) raise({error_code::invalid_argument, otherwise()});
    }
    taken(const taken&) = delete;
    taken& operator=(const taken&) = delete;
    ~taken() { lock_.give_back(); }
};
}  // namespace v1
}  // namespace inlay
