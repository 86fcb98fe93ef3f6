// Memory for packed weights and for caches. Most of it lies together, in huge pages: with separate blocks, the ends
// would be in small pages, and reading all weights for one row would spend a quarter of the time on TLB misses.
#pragma once
#include <inlay/tensor.hpp>
#include <memory>
#include <mutex>

namespace inlay {
inline namespace v1 {
class packed_memory {
  public:
    // It lives as long as any tensor that was taken from it.
    tensor take(std::int64_t bytes);

  private:
    static constexpr std::int64_t little = 8 << 20;  // allocated as separate blocks, at first
    static constexpr std::int64_t slab = 32 << 20;
    std::mutex mutex_;
    std::weak_ptr<void> slab_;
    std::int64_t used_ = 0, total_ = 0;
};
}  // namespace v1
}  // namespace inlay
