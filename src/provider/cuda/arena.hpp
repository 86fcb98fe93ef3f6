// Device memory of one session: regions taken from the driver as they are needed, given out in blocks, and counted
// against a limit.
#pragma once
#include <inlay/provider/cuda.hpp>
#include <map>
#include <mutex>

namespace inlay {
inline namespace v1 {
// Where regions come from: null from take() if there is none. Tests have one of their own.
struct region_source {
    virtual ~region_source() = default;
    virtual void* take(std::size_t bytes) noexcept = 0;
    virtual void give_back(void*) noexcept = 0;
};
class cuda_arena {
  public:
    cuda_arena(std::unique_ptr<region_source> source, std::size_t limit, arena_extend strategy)
        : source_(std::move(source)), limit_(limit), strategy_(strategy) {}
    cuda_arena(const cuda_arena&) = delete;
    cuda_arena& operator=(const cuda_arena&) = delete;
    ~cuda_arena() {
        for (const auto& [at, bytes] : regions_) source_->give_back(at);
    }

    void* allocate(std::size_t bytes) noexcept;  // aligned to 256; null: see refused()
    void release(void*) noexcept;
    std::size_t used() const noexcept {
        const std::lock_guard lock(mutex_);
        return used_;
    }
    std::size_t reserved() const noexcept {
        const std::lock_guard lock(mutex_);
        return reserved_;
    }  // of the driver
    error refused(std::size_t bytes) const;

  private:
    struct block {  // first: of its region
        std::size_t bytes = 0;
        bool free = true, first = false;
    };
    using blocks = std::map<std::byte*, block>;
    std::unique_ptr<region_source> source_;
    std::size_t limit_, reserved_ = 0, used_ = 0, next_ = std::size_t(1) << 20;
    arena_extend strategy_;
    mutable std::mutex mutex_;
    blocks blocks_;
    std::map<std::byte*, std::size_t> regions_;
    blocks::iterator extend(std::size_t bytes);
};
}  // namespace v1
}  // namespace inlay
