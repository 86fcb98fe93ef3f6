#include "packed_memory.hpp"
#include <inlay/plan/plan.hpp>

namespace inlay {
inline namespace v1 {
tensor packed_memory::take(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    const std::int64_t room = padded_bytes(bytes);
    total_ = checked_sum(total_, bytes);
    if (bytes == 0 || total_ <= little || room > slab) return tensor::uninitialized(element::u8, {bytes});
    std::shared_ptr<void> memory = slab_.lock();
    if (!memory || room > slab - used_) {
        tensor whole = tensor::uninitialized(element::u8, {slab});
        void* const data = whole.data();
        slab_ = memory = std::shared_ptr<void>(data, [whole](void*) {});
        used_ = 0;
    }
    std::byte* const data = static_cast<std::byte*>(memory.get()) + used_;
    used_ += room;
    return tensor::borrow(element::u8, {bytes}, data, space_of<memory::host>, std::move(memory));
}
}  // namespace v1
}  // namespace inlay
