// Memory for what kernels pack, and for caches. Much of it lies together, in large pages: apart, the ends of blocks
// would be in small ones, and who reads all weights for one row would spend a quarter of the time on looking these up.
#pragma once
#include <inlay/tensor.hpp>
#include <memory>
#include <mutex>

namespace inlay {
inline namespace v1 {
class packed_memory {
  public:
    // It lives as long as some tensor that was taken of it.
    tensor take(std::int64_t bytes);

  private:
    static constexpr std::int64_t little = 8 << 20;  // that is taken in blocks of their own, at first
    static constexpr std::int64_t slab = 32 << 20;
    std::mutex mutex_;
    std::weak_ptr<void> slab_;
    std::int64_t used_ = 0, taken_ = 0;
};
}  // namespace v1
}  // namespace inlay
