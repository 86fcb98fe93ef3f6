// A small pool for one session: the caller takes part, nested or concurrent use runs serially, nothing spins between
// runs.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/kernel.hpp>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace inlay {
inline namespace v1 {
int usable_cores() noexcept;  // by the process's affinity mask

class thread_pool {
  public:
    // `threads`: the caller's included, so that 1 creates no thread; 0: one per usable core.
    explicit thread_pool(int threads, bool flush_denormals = false);
    ~thread_pool();
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;
    int size() const noexcept { return threads_; }
    void parallel(int count, task_function task, void* data) noexcept;

  private:
    struct alignas(64) flag {
        std::atomic<bool> claimed{true};
    };
    int threads_;
    std::unique_ptr<flag[]> first_;               // task i < threads_ belongs to thread i, unless it comes late
    alignas(64) std::atomic<unsigned> epoch_{0};  // counts the jobs
    std::atomic<bool> open_{false}, busy_{false}, ending_{false};
    alignas(64) std::atomic<int> next_{0}, remaining_{0}, active_{0};
    task_function task_ = nullptr;
    void* data_ = nullptr;
    int count_ = 0;
    std::vector<std::thread> workers_;
    void work(int self) noexcept;
    void serve(int self, bool flush_denormals) noexcept;
};
// The executor of an embedded model that runs on N threads, the caller's included: inlay::embedded<Model, inlay::cpu,
// inlay::threads<2>>.
template <int N> struct threads : thread_pool {
    static_assert(N >= 1, "inlay::threads<N>: the caller is the first thread");
    static constexpr int concurrency = N;
    threads() : thread_pool(N) {}
};
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "impl/thread_pool.cpp"
#endif
