#include "arena.hpp"
#include <bit>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::size_t grain = 256;
std::size_t rounded(std::size_t bytes) {
    return bytes > SIZE_MAX - grain ? SIZE_MAX / grain * grain
                                    : (std::max<std::size_t>(bytes, 1) + grain - 1) / grain * grain;
}
}  // namespace

// A region of the strategy's size; where that is more than the limit or the device has left, of the requested size.
cuda_arena::blocks::iterator cuda_arena::extend(std::size_t bytes) {
    const std::size_t left = limit_ > reserved_ ? limit_ - reserved_ : 0;
    if (bytes > left) return blocks_.end();
    std::size_t size = bytes;
    if (strategy_ == arena_extend::kNextPowerOfTwo) {
        while (next_ < bytes && next_ <= SIZE_MAX / 2) next_ *= 2;
        size = std::max(bytes, std::min(next_, left / grain * grain));
    }
    void* at = source_->take(size);
    if (!at && size > bytes) at = source_->take(size = bytes);
    if (!at) return blocks_.end();
    if (strategy_ == arena_extend::kNextPowerOfTwo && next_ <= SIZE_MAX / 2) next_ *= 2;
    reserved_ += size;
    regions_.emplace(static_cast<std::byte*>(at), size);
    return blocks_.emplace(static_cast<std::byte*>(at), block{size, true, true}).first;
}
void* cuda_arena::allocate(std::size_t requested) noexcept try {
    const std::lock_guard lock(mutex_);
    const std::size_t bytes = rounded(requested);
    auto best = blocks_.end();
    for (auto at = blocks_.begin(); at != blocks_.end(); ++at)
        if (at->second.free && at->second.bytes >= bytes &&
            (best == blocks_.end() || at->second.bytes < best->second.bytes))
            best = at;
    if (best == blocks_.end() && (best = extend(bytes)) == blocks_.end()) return nullptr;
    if (best->second.bytes > bytes) {
        blocks_.emplace(best->first + bytes, block{best->second.bytes - bytes, true, false});
        best->second.bytes = bytes;
    }
    best->second.free = false;
    used_ += bytes;
    return best->first;
} catch (...) {
    return nullptr;
}  // no memory on the host for the records

void cuda_arena::release(void* p) noexcept {
    const std::lock_guard lock(mutex_);
    auto at = blocks_.find(static_cast<std::byte*>(p));
    if (at == blocks_.end() || at->second.free) return;
    at->second.free = true;
    used_ -= at->second.bytes;
    const auto join = [&](blocks::iterator a, blocks::iterator b) {  // neighbours of one region
        if (b == blocks_.end() || !a->second.free || !b->second.free || b->second.first) return a;
        a->second.bytes += b->second.bytes;
        blocks_.erase(b);
        return a;
    };
    at = join(at, std::next(at));
    if (at != blocks_.begin() && !at->second.first) at = join(std::prev(at), at);
}
error cuda_arena::refused(std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const std::size_t left = limit_ > reserved_ ? limit_ - reserved_ : 0;
    error e(rounded(bytes) > left ? error_code::out_of_memory_limit : error_code::out_of_memory, "");
    e.provider = cuda::name;
    e.text = e.provider + ": no device memory: requested " + std::to_string(bytes) + " bytes, used " +
             std::to_string(used_) + " of " + std::to_string(reserved_) + " reserved, limit " +
             (limit_ == SIZE_MAX ? "none" : std::to_string(limit_)) +
             (e.code == error_code::out_of_memory_limit ? "" : "; the device has no more");
    if (e.code == error_code::out_of_memory_limit) e.hint = "raise gpu_mem_limit, or give the model smaller inputs";
    return e;
}
}  // namespace v1
}  // namespace inlay
