// The threads of inlay::threads<N> and of sessions. Of inlay::kernels; included with INLAY_HEADER_ONLY.
#include "denormals.hpp"
#include "pause.hpp"
#include <inlay/thread_pool.hpp>
#include <chrono>
#include <sched.h>

namespace inlay {
inline namespace v1 {
namespace detail {
inline constexpr auto spin_time =
    std::chrono::microseconds(50);  // of a worker between two jobs of a run, before it parks
inline void end_threads(std::vector<std::thread>& workers, std::atomic<bool>& ending, std::atomic<unsigned>& epoch) {
    ending.store(true);
    epoch.fetch_add(1);
    epoch.notify_all();
    for (std::thread& t : workers) t.join();
}
}  // namespace detail

INLAY_COMPILED int usable_cores() noexcept {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        if (const int n = CPU_COUNT(&set); n > 0) return n;
    const unsigned n = std::thread::hardware_concurrency();
    return n ? int(n) : 1;
}

INLAY_COMPILED thread_pool::thread_pool(int threads, bool flush_denormals)
    : threads_(threads > 0 ? threads : usable_cores()), first_(std::make_unique<flag[]>(std::size_t(threads_))) {
    const auto start = [&] {
        for (int i = 1; i < threads_; ++i)
            workers_.emplace_back([this, i, flush_denormals] { serve(i, flush_denormals); });
    };
#ifdef __cpp_exceptions
    try {
        start();
    } catch (...) {  // no thread or memory left: those that began must end before their handles do
        detail::end_threads(workers_, ending_, epoch_);
        throw;
    }
#else
    start();
#endif
}
INLAY_COMPILED thread_pool::~thread_pool() { detail::end_threads(workers_, ending_, epoch_); }

INLAY_COMPILED void thread_pool::work(int self) noexcept {
    const auto take = [&](int i) {
        if (i >= count_ || first_[std::size_t(i)].claimed.exchange(true, std::memory_order_acq_rel)) return;
        task_(data_, i);
        remaining_.fetch_sub(1, std::memory_order_acq_rel);
    };
    take(self);
    for (int i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
        task_(data_, i);
        remaining_.fetch_sub(1, std::memory_order_acq_rel);
    }
    for (int i = 0; i < threads_; ++i) take(i);  // of threads that the system does not let run
}

INLAY_COMPILED void thread_pool::parallel(int count, task_function task, void* data) noexcept {
    if (count <= 1 || threads_ == 1 || busy_.exchange(true, std::memory_order_acquire))
        return serial::parallel(count, task, data);
    task_ = task;
    data_ = data;
    count_ = count;
    for (int i = 0; i < threads_; ++i) first_[std::size_t(i)].claimed.store(false, std::memory_order_relaxed);
    next_.store(threads_, std::memory_order_relaxed);
    remaining_.store(count, std::memory_order_relaxed);
    open_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    work(0);
    while (remaining_.load(std::memory_order_acquire) > 0) detail::pause_briefly();
    open_.store(false);
    while (active_.load() != 0) detail::pause_briefly();
    busy_.store(false, std::memory_order_release);
}

INLAY_COMPILED void thread_pool::serve(int self, bool flush_denormals) noexcept {
    const denormals_flushed guard(flush_denormals);
    unsigned epoch = 0;
    auto last_job = std::chrono::steady_clock::now() - detail::spin_time;
    while (!ending_.load()) {
        if (epoch_.load() == epoch) {
            if (std::chrono::steady_clock::now() - last_job < detail::spin_time)
                detail::pause_briefly();
            else
                epoch_.wait(epoch);
            continue;
        }
        epoch = epoch_.load();
        active_.fetch_add(1);  // from here on the caller waits for us, so the job's members stay as they are
        if (open_.load()) {
            work(self);
            last_job = std::chrono::steady_clock::now();
        }
        active_.fetch_sub(1);
    }
}
}  // namespace v1
}  // namespace inlay
